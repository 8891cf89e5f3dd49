import type { DictionaryType } from '@adit/contracts';
import { sha256Of } from '@adit/runtime';
import type { CheckedFile } from './dictionary-requests.js';
import { dictionaryThread } from './dictionary-thread.js';
import { languageSample } from './language-sample.js';
import { readDictionaryFile } from './read-file.js';

/**
 * Bytes up to which a file is read, indexed and searched in the calling thread, within milliseconds; larger ones use
 * another thread.
 */
export const SMALL_BYTES = 16 * 1024;

/**
 * Validates a file; `owner` identifies the caller for fair queueing. Throws VALIDATION with a pointer `/file/lines/N`
 * for each wrong line, TOO_LARGE when it needs too much memory.
 */
export async function checkDictionaryFile(owner: string, bytes: Buffer, type: DictionaryType): Promise<CheckedFile> {
  if (bytes.length > SMALL_BYTES) return dictionaryThread.check(owner, bytes, type);
  const sample = languageSample(await readDictionaryFile(bytes, type));
  return { digest: sha256Of(bytes), sample };
}
