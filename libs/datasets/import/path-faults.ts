import { AditError } from '@adit/contracts';
import { folderPath } from '@adit/storage';
import { validateFileName } from 'yauzl';
import type { ImportFault } from './import-item.js';

/** Folders that a picture may lie in. */
const DEEPEST = 8;
/** What systems leave in folders, and nobody means. */
const LITTER = /^(\.|__MACOSX$|thumbs\.db$|desktop\.ini$)/i;

/** Whether it is one of the files that systems leave in folders and archives. */
export function isLitter(path: string): boolean {
  return path.split('/').some((part) => part !== '.' && part !== '..' && LITTER.test(part));
}

/** Why a path may not be in an archive; null for one that may. */
export function pathFault(path: string): ImportFault | null {
  const message = validateFileName(path) === null ? nameFault(path) : 'It lies outside of the archive.';
  return message === null ? null : { code: 'invalid_name', message };
}

function nameFault(path: string): string | null {
  try {
    const depth = folderPath(path).split('/').length - 2;
    return depth > DEEPEST ? `It lies more than ${DEEPEST} folders deep.` : null;
  } catch (error) {
    return AditError.from(error).message;
  }
}
