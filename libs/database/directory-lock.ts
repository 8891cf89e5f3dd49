import { readFileSync, readlinkSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';

const LOCK_FILE = 'adit.lock';
const HEARTBEAT_MS = 2_000;
/** A lock whose process cannot be looked up (another host or container) is dead after this long without a heartbeat. */
const STALE_MS = 10_000;

/** Who holds a directory: the pid alone says nothing after a restart, the start time makes it unique. */
interface Holder {
  pid: number;
  /** Clock ticks since boot when the process began; null where /proc does not tell. */
  started: string | null;
  /** Pids compare only within one boot of one pid namespace. */
  realm: string;
}

export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only user of a data directory. The lock of a process that was killed is taken over: at once when
 * its pid can be looked up here, else when its heartbeat has stopped for 10 s. Throws UNAVAILABLE, naming the holder, when
 * another process (or this one already) is using the directory.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, LOCK_FILE);
  const content = JSON.stringify(ourselves());
  // Written whole beside it and linked, so that nobody reads half a lock and only one of two processes gets it.
  const draft = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  await writeFile(draft, content);
  try {
    for (;;) {
      if (await linked(draft, path)) break;
      const found = await readFile(path, 'utf8').catch(ignoreMissing);
      if (found === null) continue;
      const holder = parseHolder(found);
      if (holder !== null && (await isAlive(holder, path))) throw inUse(directory, holder);
      await removeStale(path, found);
    }
  } finally {
    await rm(draft, { force: true });
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS).unref();
  return {
    async release() {
      clearInterval(heartbeat);
      if ((await readFile(path, 'utf8').catch(() => '')) === content) await rm(path, { force: true });
    },
  };
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Null when it is no lock of ours: power was lost while it was written, so nobody holds it. */
function parseHolder(content: string): Holder | null {
  try {
    return JSON.parse(content) as Holder;
  } catch {
    return null;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

async function isAlive(holder: Holder, path: string): Promise<boolean> {
  if (holder.realm !== realm()) return heartbeats(path);
  if (holder.pid === process.pid) return holder.started === startTime(process.pid);
  try {
    if (holder.pid <= 0) return false;
    process.kill(holder.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return holder.started === null || holder.started === startTime(holder.pid);
}

async function heartbeats(path: string): Promise<boolean> {
  const before = await stat(path).catch(() => null);
  const deadline = Date.now() + STALE_MS;
  while (before && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const now = await stat(path).catch(() => null);
    if (now === null) return false;
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) return true;
  }
  return false;
}

/** Moves the stale lock aside before removing it: of two processes that find it, one moves it, and never a fresh lock. */
async function removeStale(path: string, stale: string): Promise<void> {
  const aside = `${path}.stale.${process.pid}.${process.hrtime.bigint()}`;
  const renamed = await rename(path, aside).then(() => true, ignoreMissing);
  if (!renamed) return;
  const moved = await readFile(aside, 'utf8');
  // Someone took the directory over between our look and our move: give it back.
  if (moved !== stale) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function ourselves(): Holder {
  return { pid: process.pid, started: startTime(process.pid), realm: realm() };
}

/** Field 22 of /proc/<pid>/stat; the fields are counted after the command, which may hold spaces and brackets. */
function startTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function realm(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

function inUse(directory: string, holder: Holder): AditError {
  const who = holder.realm === realm() ? `process ${holder.pid}` : `a process on ${holder.realm.split(' ')[0]}`;
  return new AditError(
    'UNAVAILABLE',
    `The data directory ${directory} is in use by ${who}. Stop it first, or choose another directory (ADIT_DATA_DIR).`,
  );
}
