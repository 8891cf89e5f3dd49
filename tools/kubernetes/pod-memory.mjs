// Memory of pods, from their control groups, and the time until they are ready.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 2_000;
const MIB = 2 ** 20;

/** @param {() => Promise<object[]>} list The pods that there are. */
export function watchMemory(list) {
  /** By component: the most that a pod of it took, and the seconds until each was ready. */
  const seen = new Map();
  let watching = true;
  const loop = (async () => {
    while (watching) {
      for (const { metadata, status } of await list().catch(() => [])) {
        const component = metadata.labels?.['app.kubernetes.io/component'] ?? metadata.name;
        if (!seen.has(component)) seen.set(component, { memory: 0, used: 0, starts: new Map() });
        const one = seen.get(component);
        const { working, anonymous } = memoryOf(metadata.uid);
        one.memory = Math.max(one.memory, anonymous);
        one.used = Math.max(one.used, working);
        const ready = status.conditions?.find(({ type }) => type === 'Ready');
        if (ready?.status === 'True' && !one.starts.has(metadata.uid)) {
          one.starts.set(metadata.uid, (Date.parse(ready.lastTransitionTime) - Date.parse(status.startTime)) / 1000);
        }
      }
      await sleep(POLL_MS);
    }
  })();
  return {
    /** A Markdown table. */
    table() {
      const rows = [...seen].filter(([, { used }]) => used > 0).sort(([a], [b]) => a.localeCompare(b));
      const lines = rows.map(([component, { memory, used, starts }]) => {
        const seconds = [...starts.values()].sort((a, b) => a - b);
        const times = seconds.length === 0 ? '' : `${seconds[0]} to ${seconds.at(-1)}`;
        return `| ${component} | ${seconds.length} | ${times} | ${Math.round(memory / MIB)} | ${Math.round(used / MIB)} |`;
      });
      return [
        '| Service | Pods | Seconds until ready | Most of its own memory, MiB | Most with files in use, MiB |',
        '| --- | --- | --- | --- | --- |',
        ...lines,
      ].join('\n');
    },
    async stop() {
      watching = false;
      await loop;
    },
  };
}

/** Bytes: what the pod's processes hold, and what the kubelet counts. */
function memoryOf(uid) {
  for (const root of ['/sys/fs/cgroup', '/sys/fs/cgroup/memory']) {
    for (const quality of ['burstable/', 'besteffort/', '']) {
      const folder = `${root}/kubepods/${quality}pod${uid}`;
      try {
        const stat = Object.fromEntries(
          readFileSync(`${folder}/memory.stat`, 'utf8')
            .split('\n')
            .map((line) => line.split(' ')),
        );
        const v1 = 'total_rss' in stat;
        const usage = Number(readFileSync(`${folder}/memory.${v1 ? 'usage_in_bytes' : 'current'}`, 'utf8'));
        const inactive = Number(stat[v1 ? 'total_inactive_file' : 'inactive_file']);
        return { working: usage - inactive, anonymous: Number(stat[v1 ? 'total_rss' : 'anon']) };
      } catch {
        // Not there.
      }
    }
  }
  return { working: 0, anonymous: 0 };
}
