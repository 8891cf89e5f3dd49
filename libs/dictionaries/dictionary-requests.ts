import type { DictionaryType, ErrorDetail } from '@adit/contracts';
import type { Comparison, DictionaryEntry } from './dictionary.js';

/** What the thread is started with. */
export interface ThreadData {
  /** Bytes of memory, roughly, of the dictionaries that are kept and their indexes: the one in use may take far more. */
  mostKept: number;
}

/** What the thread of dictionaries is asked. */
export type DictionaryRequest =
  | { kind: 'check'; bytes: Uint8Array; type: DictionaryType }
  | {
      kind: 'find';
      key: string;
      type: DictionaryType;
      how: Comparison;
      texts: readonly string[];
      /** Of the dictionary's file, where it has to be read first. */
      bytes?: Uint8Array;
    };

/** What is known of a file all of whose lines are right. */
export interface CheckedFile {
  /** SHA-256 of its bytes. */
  digest: string;
  /** See `languageSample`. */
  sample: string;
}

/** By the kind of the request. */
export interface DictionaryAnswers {
  check: CheckedFile;
  /** Of as many texts as short time allowed, at least one; null when the dictionary is not kept and no file came. */
  find: (DictionaryEntry | null)[] | null;
}

export type DictionaryReply = { answer: unknown } | { wrong: ErrorDetail[] } | { failure: string };
