// Memory of a process and all its descendants: proportional set size, in which shared pages count once.
import { readdir, readFile } from 'node:fs/promises';

const KIB_PER_MIB = 1024;

/** MiB. Processes that end meanwhile count as nothing. Linux only. */
export async function treePss(root) {
  const sizes = await Promise.all((await treeOf(root)).map(pssOf));
  return sizes.reduce((total, size) => total + size, 0) / KIB_PER_MIB;
}

/** Numbers of a process and all its descendants. Linux only. */
export async function treeOf(root) {
  const parents = new Map();
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = await readFile(`/proc/${entry}/stat`, 'utf8').catch(() => '');
    // The name in brackets may hold anything; the parent is the second field behind it.
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    if (Number.isInteger(parent)) parents.set(Number(entry), parent);
  }
  const belongs = (pid) => pid === root || (parents.has(pid) && belongs(parents.get(pid)));
  return [...parents.keys()].filter(belongs);
}

async function pssOf(pid) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0);
}

/** Samples `pid`'s tree until `work` ends; answers [seconds since the start, MiB] pairs. */
export async function sampled(pid, work, everyMs = 500) {
  const samples = [];
  const start = performance.now();
  let running = true;
  const sampling = (async () => {
    while (running) {
      samples.push([(performance.now() - start) / 1000, await treePss(pid)]);
      await new Promise((done) => setTimeout(done, everyMs));
    }
  })();
  try {
    await work();
  } finally {
    running = false;
    await sampling;
  }
  return samples;
}
