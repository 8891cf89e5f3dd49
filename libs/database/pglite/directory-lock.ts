import { hash } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, errorCode, nullIfNoFile } from '@adit/contracts';
import { isRunning, ProcessIdentity, thisProcess } from '@adit/runtime';

const LOCK_FILE = 'adit.lock';
const HEARTBEAT_MS = 2_000;
/** A lock whose process cannot be looked up (another host or container) is dead after this long without a heartbeat. */
const STALE_MS = 10_000;
/** Interval between two checks of a heartbeat, and of a stale lock that another process is about to remove. */
const POLL_MS = { heartbeat: 250, removal: 20 };

interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Makes this process the only user of a data directory. The lock of a killed process is taken over: at once when its
 * pid can be looked up here, else when its heartbeat has stopped for 10 s. `onLost` is called when that happened to
 * this process, because it was suspended: another process uses the directory now. Throws UNAVAILABLE, naming the
 * holder, when another process (or this one already) is using the directory.
 */
export async function lockDirectory(directory: string, onLost: () => void = () => undefined): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true });
  const path = join(directory, LOCK_FILE);
  const content = JSON.stringify(thisProcess());
  // The lock is written beside it and linked, so that nobody reads half a lock and only one of two processes gets it.
  const draft = `${path}.${process.pid}.${process.hrtime.bigint()}`;
  await writeFile(draft, content);
  try {
    const holder = await take(path, draft);
    if (holder !== null) throw inUse(directory, holder);
  } finally {
    await rm(draft, { force: true });
  }
  let released = false;
  const beat = async (): Promise<void> => {
    const found = await readFile(path, 'utf8');
    if (released) return;
    if (found === content) return utimes(path, new Date(), new Date());
    clearInterval(heartbeat);
    onLost();
  };
  const heartbeat = setInterval(() => void beat().catch(() => undefined), HEARTBEAT_MS).unref();
  return {
    async release() {
      released = true;
      clearInterval(heartbeat);
      if ((await readFile(path, 'utf8').catch(() => '')) === content) await rm(path, { force: true });
    },
  };
}

/** Links the draft as the lock at a path. Null on success, else the holder. */
async function take(path: string, draft: string): Promise<ProcessIdentity | null> {
  for (;;) {
    if (await linked(draft, path)) return null;
    const found = await readFile(path, 'utf8').catch(nullIfNoFile);
    if (found === null) continue;
    const holder = parseHolder(found);
    if (holder !== null && (await isAlive(holder, path))) return holder;
    await removeStale(path, found, draft);
  }
}

/**
 * Removes a stale lock. Of all processes that found it one may: the holder of a lock named by its content. A later
 * process finds different content by then, and leaves it.
 */
async function removeStale(path: string, stale: string, draft: string): Promise<void> {
  const right = `${path}.${hash('sha256', stale, 'hex').slice(0, 16)}`;
  if ((await take(right, draft)) !== null) return sleep(POLL_MS.removal);
  try {
    if ((await readFile(path, 'utf8').catch(nullIfNoFile)) === stale) await rm(path, { force: true });
  } finally {
    await rm(right, { force: true });
  }
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Parses a lock; null when it is invalid: power was lost while it was written, so nobody holds it. */
function parseHolder(content: string): ProcessIdentity | null {
  try {
    return ProcessIdentity.parse(JSON.parse(content));
  } catch {
    return null;
  }
}

async function isAlive(holder: ProcessIdentity, path: string): Promise<boolean> {
  return isRunning(holder) ?? heartbeats(path);
}

async function heartbeats(path: string): Promise<boolean> {
  const before = await stat(path).catch(() => null);
  const deadline = Date.now() + STALE_MS;
  while (before && Date.now() < deadline) {
    await sleep(POLL_MS.heartbeat);
    const now = await stat(path).catch(() => null);
    if (now === null) return false;
    if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) return true;
  }
  return false;
}

function inUse(directory: string, holder: ProcessIdentity): AditError {
  const isHere = isRunning(holder) !== null;
  const who = isHere ? `process ${holder.pid}` : `a process on ${holder.realm.split(' ')[0]}`;
  return new AditError(
    'UNAVAILABLE',
    `The data directory ${directory} is in use by ${who}. Stop it first, or choose another directory (ADIT_DATA_DIR).`,
  );
}
