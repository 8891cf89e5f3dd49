import type { DictionaryType, ErrorDetail } from '@adit/contracts';
import type { Comparison, DictionaryEntry } from './dictionary.js';

/** What the thread of dictionaries is asked. */
export type DictionaryRequest =
  | { kind: 'check'; bytes: Uint8Array; type: DictionaryType }
  | { kind: 'keep'; key: string; bytes: Uint8Array; type: DictionaryType }
  | { kind: 'find'; key: string; how: Comparison; texts: readonly string[] };

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
  keep: true;
  /** Of as many texts as short time allowed, at least one; null when the dictionary is not kept here. */
  find: (DictionaryEntry | null)[] | null;
}

export type DictionaryReply = { answer: unknown } | { wrong: ErrorDetail[] } | { failure: string };
