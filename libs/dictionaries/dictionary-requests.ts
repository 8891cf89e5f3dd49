import type { DictionaryType, ErrorDetail } from '@adit/contracts';
import type { Comparison, DictionaryEntry } from './dictionary.js';

/** Start data of the thread. */
export interface ThreadData {
  /** Approximate bytes of cached dictionaries and their indexes; the one in use may take far more. */
  mostKept: number;
}

/** Request to the dictionary thread. */
export type DictionaryRequest =
  | { kind: 'check'; bytes: Uint8Array; type: DictionaryType }
  | {
      kind: 'find';
      key: string;
      type: DictionaryType;
      how: Comparison;
      texts: readonly string[];
      /** Bytes of the dictionary's file, when the thread has to read it. */
      bytes?: Uint8Array;
    };

/** Result of validating a file without errors. */
export interface CheckedFile {
  /** SHA-256 of its bytes. */
  digest: string;
  /** See `languageSample`. */
  sample: string;
}

/** Answer types by the kind of the request. */
export interface DictionaryAnswers {
  check: CheckedFile;
  /**
   * Answers for as many texts as fit into a short time, at least one; null when the dictionary is not cached and no
   * file was sent.
   */
  find: (DictionaryEntry | null)[] | null;
}

export type DictionaryReply = { answer: unknown } | { wrong: ErrorDetail[] } | { failure: string };
