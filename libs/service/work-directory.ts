import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { errorCode } from '@adit/contracts';
import type { BaseConfig } from '@adit/runtime';

/**
 * The folder for client media on local disk that only this process uses. What a process of this machine that is gone left
 * behind is removed: it belongs to nobody.
 */
export async function claimWorkDirectory(config: Pick<BaseConfig, 'dataDir'>, service: string): Promise<string> {
  const parent = join(resolve(config.dataDir), 'work');
  const own = `${service}-${hostname()}-`;
  for (const name of await readdir(parent).catch((): string[] => [])) {
    if (name.startsWith(own) && !isAlive(Number(name.slice(own.length)))) {
      await rm(join(parent, name), { recursive: true, force: true });
    }
  }
  return join(parent, `${own}${process.pid}`);
}

/** A container's processes are 1 again and again: what this number left before is not this process's. */
function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
