import type { DictionaryType, ErrorDetail } from '@adit/contracts';
import type { Comparison, DictionaryEntry } from './dictionary.js';

/** Start data of the thread. */
export interface ThreadData {
  /** Approximate bytes of cached dictionaries and their indexes; the one in use may take far more. */
  maxKept: number;
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

/** Entries for as many texts as fit into a time slice, at least one; null when the dictionary is not cached and no file was sent. */
export type FoundEntries = (DictionaryEntry | null)[] | null;

/** `wrong`: the lines of a file that is no dictionary. */
export type DictionaryReply = { checked: CheckedFile } | { found: FoundEntries } | { wrong: ErrorDetail[] };
