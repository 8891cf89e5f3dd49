import { AditError } from '@adit/contracts';

const MAX_NAME_LENGTH = 255;
const MAX_PATH_LENGTH = 1024;
const MAX_DEPTH = 32;

/**
 * A folder's path in its one form: `/`, `/a`, `/a/b`. Throws VALIDATION for `.` and `..`, backslashes, control characters
 * and what is too long or too deep.
 */
export function folderPath(text: string, pointer = '?folder'): string {
  const segments = text
    .normalize('NFC')
    .split('/')
    .filter((segment) => segment !== '');
  for (const segment of segments) checkName(segment, 'A folder', pointer);
  const path = `/${segments.join('/')}`;
  if (path.length > MAX_PATH_LENGTH || segments.length > MAX_DEPTH) {
    throw invalid(pointer, `A folder's path has at most ${MAX_PATH_LENGTH} characters and ${MAX_DEPTH} levels.`);
  }
  return path;
}

/** A file's name: the last part of what the client sent, as browsers send whole paths. Throws VALIDATION. */
export function fileName(text: string, pointer = '/name'): string {
  const name = text.normalize('NFC').split(/[/\\]/).at(-1) ?? '';
  checkName(name, 'A file', pointer);
  return name;
}

/** `/a/b` gives `/a` and `/a/b`; the root gives nothing. */
export function pathsTo(folder: string): string[] {
  const segments = folder.split('/').filter((segment) => segment !== '');
  return segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
}

/** The folder that holds a folder. */
export function parentOf(folder: string): string {
  return folder.slice(0, folder.lastIndexOf('/')) || '/';
}

function checkName(name: string, what: string, pointer: string): void {
  if (name === '' || name.length > MAX_NAME_LENGTH)
    throw invalid(pointer, `${what} has a name of 1 to 255 characters.`);
  // Lone surrogates, control and formatting characters (which turn the direction of text) have no place in a name.
  if (name === '.' || name === '..' || /[\\\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(name)) {
    throw invalid(pointer, `${what} may not be called ${JSON.stringify(name.slice(0, 40))}.`);
  }
}

function invalid(pointer: string, message: string): AditError {
  return new AditError('VALIDATION', message, { errors: [{ pointer, code: 'invalid_name', message }] });
}
