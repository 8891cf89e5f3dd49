import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode, nullIfNoFile } from '@adit/contracts';

const HOST = hostname().replace(/[^A-Za-z0-9.]/g, '.');
/** Seconds since 1970 at which this process began, so that a pid that is used again is not taken for its predecessor. */
const STARTED = Math.round(Date.now() / 1000 - process.uptime());
const NAME = /^([A-Za-z0-9.]+)-(\d+)-(\d+)-[0-9a-f-]{36}$/;
/** Age at which another host's or container's partial file counts as abandoned: its writer cannot be asked. */
const ABANDONED_MS = 3_600_000;

/** Opens a new file that nobody reads yet; its name says whose it is. */
export async function openIncoming(folder: string): Promise<{ path: string; file: FileHandle }> {
  const path = join(folder, `${HOST}-${process.pid}-${STARTED}-${randomUUID()}`);
  return { path, file: await open(path, 'wx', 0o640) };
}

/** Makes the folder and removes what processes that no longer run have left half written. */
export async function sweepIncoming(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!(await isBeingWritten(path, name))) await rm(path, { force: true, recursive: true });
  }
}

async function isBeingWritten(path: string, name: string): Promise<boolean> {
  const [, host, pid, started] = NAME.exec(name) ?? [];
  if (host !== HOST) {
    const stats = await lstat(path).catch(nullIfNoFile);
    return stats !== null && Date.now() - stats.mtimeMs < ABANDONED_MS;
  }
  // Two seconds of rounding: a container's only process has the same pid after every restart.
  if (Number(pid) === process.pid) return Math.abs(Number(started) - STARTED) <= 2;
  try {
    process.kill(Number(pid), 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
