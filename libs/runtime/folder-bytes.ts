import { opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '@adit/contracts';

export interface FolderBytes {
  /** Bytes that the files occupy on disk, which is less than their sizes if they have holes. */
  bytes: number;
  files: number;
  /** False when there are more files than were looked at. */
  isWhole: boolean;
}

const MAX_FILES = 1_000_000;
const BLOCK = 512;

/**
 * Measures a folder. Links are not followed, and files that vanish meanwhile are left out. A missing folder is empty.
 */
export async function folderBytes(folder: string, most = MAX_FILES): Promise<FolderBytes> {
  const sum: FolderBytes = { bytes: 0, files: 0, isWhole: true };
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    for await (const entry of entriesOf(next)) {
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      if (!entry.isFile()) continue;
      if (sum.files >= most) return { ...sum, isWhole: false };
      const found = await stat(join(next, entry.name)).catch(nullIfPassed);
      if (found === null) continue;
      sum.files += 1;
      sum.bytes += found.blocks * BLOCK;
    }
  }
  return sum;
}

async function* entriesOf(folder: string) {
  const opened = await opendir(folder).catch(nullIfPassed);
  if (opened === null) return;
  try {
    yield* opened;
  } catch (error) {
    nullIfPassed(error);
  }
}

/** Null where the path leads to nothing any more, or to what this user may not look into. */
function nullIfPassed(error: unknown): null {
  if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return null;
  throw error;
}
