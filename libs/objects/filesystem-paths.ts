import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AditError } from '@adit/contracts';

/** Marks a folder. No key can hold it, so the objects `a` and `a/b` do not stand in each other's way. */
const FOLDER_MARK = '+';

/** The file of a key under `root`: `a/b/c` lies at `a+/b+/c`. */
export function pathOfKey(root: string, key: string): string {
  const segments = key.split('/');
  const name = segments.pop() ?? '';
  return join(root, ...segments.map((segment) => segment + FOLDER_MARK), name);
}

/** The folder that holds everything a prefix can match, and what the names in it have to begin with. */
export function folderOfPrefix(root: string, prefix: string): { folder: string; keys: string; beginning: string } {
  const cut = prefix.lastIndexOf('/') + 1;
  const keys = prefix.slice(0, cut);
  const folders = keys === '' ? [] : keys.slice(0, -1).split('/');
  return {
    folder: join(root, ...folders.map((segment) => segment + FOLDER_MARK)),
    keys,
    beginning: prefix.slice(cut),
  };
}

/** The part of a key that a folder's name stands for, with its "/"; null when it is no folder of ours. */
export function segmentOfFolder(name: string): string | null {
  return name.endsWith(FOLDER_MARK) ? `${name.slice(0, -1)}/` : null;
}

/**
 * Throws SOURCE_REFUSED when a symbolic link leads the folder of `path` elsewhere. Keys cannot make links; this stops one
 * that somebody else put there. `root` has to be a real path. A missing folder is the caller's to notice.
 */
export async function refuseLinks(path: string): Promise<void> {
  const folder = dirname(path);
  if ((await realpath(folder)) !== folder) {
    throw new AditError(
      'SOURCE_REFUSED',
      `A symbolic link in the object store leads out of it at ${folder}. Remove it.`,
    );
  }
}
