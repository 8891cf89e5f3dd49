// One set-up at a time per cache: a lock file kept fresh by a heartbeat, so that a killed holder is noticed.
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, openSync, readFileSync, rmSync, statSync, utimesSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const HEARTBEAT_MS = 2_000;
const STALE_MS = 30_000;
const POLL_MS = 250;

/** Runs `work` while holding the lock file `path`; waits for another holder, takes over from a dead one. */
export async function withLock(path, work) {
  const token = `${process.pid} ${hostname()} ${randomUUID()}`;
  let announced = false;
  while (!tryCreate(path, token)) {
    const holder = read(path);
    if (holder !== null && isDead(path, holder) && removeIfDead(path, holder, token)) continue;
    // Empty: its holder has made it and not yet said who it is.
    if (!announced && holder) {
      console.error(`Waiting for the set-up of process ${holder.split(' ')[0]} to finish …`);
      announced = true;
    }
    await sleep(POLL_MS);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // Gone: somebody cleaned the cache. The work goes on; the worst outcome is that it is done twice.
    }
  }, HEARTBEAT_MS);
  const release = () => {
    if (read(path) === token) rmSync(path, { force: true });
  };
  const quit = (signal) => {
    release();
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', quit).once('SIGTERM', quit);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    process.off('SIGINT', quit).off('SIGTERM', quit);
    release();
  }
}

function tryCreate(path, token) {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, token);
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function isDead(path, holder) {
  const [pid, host] = holder.split(' ');
  try {
    if (Date.now() - statSync(path).mtimeMs > STALE_MS) return true;
  } catch {
    return false;
  }
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/**
 * Removes a lock whose holder is dead. Of all who have found it one may: who holds the lock that is named by what it says.
 * False when that is somebody else.
 */
function removeIfDead(path, holder, token) {
  const right = `${path}.${createHash('sha256').update(holder).digest('hex').slice(0, 16)}`;
  if (!tryCreate(right, token)) {
    const other = read(right);
    return other !== null && isDead(right, other) && removeIfDead(right, other, token);
  }
  try {
    // Somebody may have had the right before, and the lock may be another one by now.
    if (read(path) === holder && isDead(path, holder)) rmSync(path, { force: true });
    return true;
  } finally {
    rmSync(right, { force: true });
  }
}
