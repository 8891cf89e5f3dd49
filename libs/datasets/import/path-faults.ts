import { AditError } from '@adit/contracts';
import { folderPath } from '@adit/storage';
import { validateFileName } from 'yauzl';
import type { ImportFault } from './import-item.js';

/** Deepest nesting of a picture. */
const MAX_DEPTH = 8;
/** Files that operating systems leave in folders. */
const LITTER = /^(\.|__MACOSX$|thumbs\.db$|desktop\.ini$)/i;

/** Tests for files that operating systems leave in folders and archives. */
export function isLitter(path: string): boolean {
  return path.split('/').some((part) => part !== '.' && part !== '..' && LITTER.test(part));
}

/** Returns why a path is not allowed in an archive; null for a valid one. */
export function pathFault(path: string): ImportFault | null {
  const message = validateFileName(path) === null ? nameFault(path) : 'It lies outside of the archive.';
  return message === null ? null : { code: 'invalid_name', message };
}

function nameFault(path: string): string | null {
  try {
    const depth = folderPath(path).split('/').length - 2;
    return depth > MAX_DEPTH ? `It lies more than ${MAX_DEPTH} folders deep.` : null;
  } catch (error) {
    return AditError.from(error).message;
  }
}
