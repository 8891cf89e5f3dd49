import { AditError } from '@adit/contracts';
import type { DictionaryType, ErrorDetail } from '@adit/contracts';
import { separatorOf } from '@adit/csv';
import { inTimeSlices } from '@adit/runtime';
import type { DictionaryEntry } from './dictionary.js';
import { COLUMNS, readingDictionary, WrongFile } from './reading-file.js';

/**
 * Infers the type of a file: text/csv is a map, text/plain simple; otherwise by its name, then by whether its first
 * line names the columns `source` and `target`. Throws UNSUPPORTED_MEDIA_TYPE for other content types.
 */
export function inferDictionaryType(
  bytes: Buffer,
  { contentType, filename }: { contentType: string; filename: string },
): DictionaryType {
  const type = (contentType.split(';')[0] ?? '').trim().toLowerCase();
  const extension = /\.(csv|txt)$/i.exec(filename)?.[1]?.toLowerCase();
  if (type === 'text/csv' || type === 'application/csv') return 'map';
  if (type === 'text/plain') return extension === 'csv' ? 'map' : 'simple';
  // Content types that clients send when they do not know: browsers label a .csv as Excel's.
  const unknown = ['', 'application/octet-stream', 'application/vnd.ms-excel'].includes(type);
  if (!unknown && !type.startsWith('text/')) {
    throw new AditError(
      'UNSUPPORTED_MEDIA_TYPE',
      `A dictionary is text/plain (one entry a line) or text/csv (columns source and target), not ${type.slice(0, 80)}.`,
    );
  }
  if (extension !== undefined) return extension === 'csv' ? 'map' : 'simple';
  return separatorOf(bytes, COLUMNS) === null ? 'simple' : 'map';
}

/**
 * Reads the entries of a file in order, in time slices. Throws VALIDATION with a pointer `/file/lines/N` for each wrong
 * line.
 */
export async function readDictionaryFile(bytes: Buffer, type: DictionaryType): Promise<DictionaryEntry[]> {
  try {
    return await inTimeSlices(readingDictionary(bytes, type));
  } catch (error) {
    throw error instanceof WrongFile ? refusalOf(error.errors) : error;
  }
}

export function refusalOf(errors: ErrorDetail[]): AditError {
  return new AditError('VALIDATION', errors.map((error) => error.message).join(' '), { errors });
}
