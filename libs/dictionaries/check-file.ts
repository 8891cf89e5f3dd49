import { createHash } from 'node:crypto';
import type { DictionaryType } from '@adit/contracts';
import type { CheckedFile } from './dictionary-requests.js';
import { dictionaryThread } from './dictionary-thread.js';
import { languageSample } from './language-sample.js';
import { readDictionaryFile } from './read-file.js';

/** Bytes of a file that is read, indexed and searched where it is used, within milliseconds; a larger one in a thread. */
export const SMALL_BYTES = 16 * 1024;

/**
 * Reads a file to see whether it is right; `owner` is who asks, so that others have their turns. Throws VALIDATION with a
 * pointer `/file/lines/N` for each wrong line, TOO_LARGE when it takes more memory than there is.
 */
export async function checkDictionaryFile(owner: string, bytes: Buffer, type: DictionaryType): Promise<CheckedFile> {
  if (bytes.length > SMALL_BYTES) return dictionaryThread.check(owner, bytes, type);
  const sample = languageSample(await readDictionaryFile(bytes, type));
  return { digest: createHash('sha256').update(bytes).digest('hex'), sample };
}
