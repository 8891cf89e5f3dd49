import { AditError } from '@adit/contracts';
import { folderPath } from '@adit/storage';
import { validateFileName } from 'yauzl';
import { namedClass, PLAIN_IMAGE, type ImportedClass, type ImportedImage, type ImportFault } from './import-item.js';

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

/**
 * The folder around all others, with a slash; '' for none: all that is there lies in it, and nothing without a folder of its own.
 */
export class OuterFolder {
  private first: string | undefined;
  private isOuter = true;

  note(path: string): void {
    const [folder = '', next] = path.split('/', 2);
    this.first ??= folder;
    if (folder !== this.first || next === undefined || path.indexOf('/', folder.length + 1) < 0) this.isOuter = false;
  }

  get path(): string {
    return this.isOuter && this.first !== undefined ? `${this.first}/` : '';
  }
}

/** What the first folder of a path says of the picture in it. */
export function byFolder(path: string): { class: ImportedClass; image: ImportedImage } | { fault: ImportFault } {
  const at = path.indexOf('/');
  if (at < 0) {
    return {
      fault: { code: 'no_class', message: 'It lies in no folder: the name of the folder is that of the class.' },
    };
  }
  const label = path.slice(0, at).normalize('NFC').trim();
  if (label === '') return { fault: { code: 'no_class', message: 'The folder has no name.' } };
  return { class: namedClass(label), image: PLAIN_IMAGE };
}
