// The cache of the servers' programs; an installation appears in it completely or not at all.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withLock } from '../setup/lock.mjs';
import { cacheDirectory } from '../setup/places.mjs';

export const here = import.meta.dirname;
export const serversCache = join(cacheDirectory, 'servers');

/**
 * The folder for something that is made here: its title and a hash of all that makes it, which are files of this folder
 * by name, others by path, and whatever else is said, such as the versions of programs.
 */
export function folderOf(title, files, ...others) {
  const hash = createHash('sha256').update(JSON.stringify([process.platform, process.arch, ...others]));
  for (const file of files) hash.update(readFileSync(resolve(here, file)));
  return `${title}-${hash.digest('hex').slice(0, 12)}`;
}

/**
 * Fills `folder` of `cache` through `fill(partial)` unless it is there, one process at a time. Works under another
 * name and renames, so that a killed set-up leaves nothing that looks complete.
 */
export async function installOnce(folder, fill, cache = serversCache) {
  const target = join(cache, folder);
  if (existsSync(target)) return target;
  mkdirSync(cache, { recursive: true });
  return await withLock(`${target}.lock`, async () => {
    if (existsSync(target)) return target;
    const partial = `${target}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial);
    try {
      await fill(partial);
      renameSync(partial, target);
    } finally {
      rmSync(partial, { recursive: true, force: true });
    }
    return target;
  });
}
