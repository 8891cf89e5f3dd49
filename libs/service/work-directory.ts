import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { errorCode, nullIfNoFile } from '@adit/contracts';
import type { BaseConfig } from '@adit/runtime';

/** Number of times that a process says of its folder that it is in use (`keepWorkDirectory`), well within what others wait for. */
export const KEPT_EVERY_MS = 10 * 60_000;
/** A folder of another machine, or another service, is nobody's when it was left alone for so long. */
const LEFT_ALONE_MS = 24 * 3_600_000;

/**
 * The folder for client media on local disk that only this process uses. What a process that is gone left behind is removed: it
 * belongs to nobody.
 */
export async function claimWorkDirectory(config: Pick<BaseConfig, 'dataDir'>, service: string): Promise<string> {
  const own = join(resolve(config.dataDir), 'work', `${service}-${hostname()}-${process.pid}`);
  // A container's processes are 1 again and again: what this number left before is not this process's.
  await rm(own, { recursive: true, force: true });
  await removeAbandoned(own);
  await mkdir(own, { recursive: true, mode: 0o700 });
  return own;
}

/** Says that the folder is in use, and removes what others left since. To be called every `KEPT_EVERY_MS`. */
export async function keepWorkDirectory(own: string): Promise<void> {
  await mkdir(own, { recursive: true, mode: 0o700 });
  const now = new Date();
  await utimes(own, now, now);
  await removeAbandoned(own);
}

/**
 * Removes the folders of this service's dead processes on this machine, and those of other services that nobody has
 * touched for a day.
 */
async function removeAbandoned(own: string): Promise<void> {
  const parent = dirname(own);
  const sameService = basename(own).slice(0, -String(process.pid).length);
  for (const name of (await readdir(parent).catch(nullIfNoFile)) ?? []) {
    const folder = join(parent, name);
    const number = name.startsWith(sameService) ? name.slice(sameService.length) : null;
    if (number === null ? await isLeftAlone(folder) : !isAlive(Number(number))) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function isLeftAlone(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(nullIfNoFile);
  return found !== null && Date.now() - found.mtimeMs > LEFT_ALONE_MS;
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
