// Outlives the process that started the servers until they have ended: its standard input closes with that process,
// however it ends, and then everything listed is removed.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const GRACE_MS = 10_000;
const servers = new Map();
const folders = new Set();
const containers = new Set();

// Ctrl-C goes to everyone on the terminal; the owner decides what it means.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

for await (const line of createInterface({ input: process.stdin })) {
  const { watch, forget, folder, released, container, removed } = JSON.parse(line);
  if (watch !== undefined) servers.set(watch.pid, watch.signal);
  if (forget !== undefined) servers.delete(forget);
  if (folder !== undefined) folders.add(folder);
  if (released !== undefined) folders.delete(released);
  if (container !== undefined) containers.add(container);
  if (removed !== undefined) containers.delete(removed);
}

if (containers.size > 0) {
  const { removeContainers } = await import('./docker-engine.mjs');
  await removeContainers(containers).catch(() => undefined);
}
for (const [pid, signal] of servers) send(pid, signal);
const deadline = Date.now() + GRACE_MS;
while ([...servers.keys()].some(lives) && Date.now() < deadline) await sleep(50);
for (const pid of servers.keys()) send(pid, 'SIGKILL');
// PostgreSQL's children take a moment to notice that they are alone.
for (let tries = 0; folders.size > 0 && tries < 20; tries += 1) {
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true });
      folders.delete(folder);
    } catch {
      await sleep(100);
    }
  }
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already.
  }
}

function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
