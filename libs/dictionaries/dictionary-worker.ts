import { workerData } from 'node:worker_threads';
import { elementAt } from '@adit/contracts';
import { sha256Of } from '@adit/runtime/sha256';
import { answerRequests, lowerPriority } from '@adit/runtime/thread-requests';
import type { Comparison, DictionaryEntry } from './dictionary.js';
import type {
  CheckedFile,
  DictionaryReply,
  DictionaryRequest,
  FoundEntries,
  ThreadData,
} from './dictionary-requests.js';
import type { EntryIndex } from './entry-index.js';
import { indexing } from './index-entries.js';
import { languageSample } from './language-sample.js';
import { readingDictionary, WrongFile } from './reading-file.js';

/** Lower priority than the engine, as for programs that it runs over media. */
const NICENESS = 5;
/** Milliseconds after which the remaining texts are left to another request, since others may be waiting. */
const MAX_FIND_MS = 100;
/** Bytes per entry, beside its text. */
const ENTRY_BYTES = 120;

interface Kept {
  entries: readonly DictionaryEntry[];
  indexes: Map<string, EntryIndex>;
  /** Approximate bytes of the entries and the indexes. */
  size: number;
}

// Data from `DictionaryThread`.
const { maxKept } = workerData as ThreadData;

/** The most recently used last. */
const kept = new Map<string, Kept>();

function check({ bytes, type }: Extract<DictionaryRequest, { kind: 'check' }>): CheckedFile {
  const file = bufferOf(bytes);
  const entries = finished(readingDictionary(file, type));
  return { digest: sha256Of(file), sample: languageSample(entries) };
}

function find({ key, type, how, texts, bytes }: Extract<DictionaryRequest, { kind: 'find' }>): FoundEntries {
  let dictionary = kept.get(key);
  if (dictionary === undefined) {
    if (bytes === undefined) return null;
    const entries = finished(readingDictionary(bufferOf(bytes), type));
    dictionary = { entries, indexes: new Map(), size: sizeOf(entries) };
  }
  kept.delete(key);
  kept.set(key, dictionary);
  evict();
  const index = indexOf(dictionary, how);
  const found: (DictionaryEntry | null)[] = [];
  const began = performance.now();
  for (const text of texts) {
    if (found.length > 0 && performance.now() - began > MAX_FIND_MS) break;
    const place = index.find(text);
    found.push(place === null ? null : elementAt(dictionary.entries, place));
  }
  return found;
}

/** Only one fuzzy index per dictionary is kept, since there may be one per threshold. */
function indexOf(dictionary: Kept, how: Comparison): EntryIndex {
  const name = how.mode === 'fuzzy' ? `fuzzy ${how.threshold}` : how.mode;
  const { entries, indexes } = dictionary;
  let index = indexes.get(name);
  if (index === undefined) {
    if (how.mode === 'fuzzy') for (const other of indexes.keys()) if (other.startsWith('fuzzy')) indexes.delete(other);
    const sources = entries.map(({ source }) => source);
    index = finished(indexing(sources, how));
    indexes.set(name, index);
    dictionary.size = [...indexes.values()].reduce((sum, { size }) => sum + size, sizeOf(entries));
    evict();
  }
  return index;
}

/** Evicts the least recently used; the last one always stays. */
function evict(): void {
  let taken = [...kept.values()].reduce((sum, { size }) => sum + size, 0);
  for (const [key, { size }] of kept) {
    if (taken <= maxKept || kept.size === 1) return;
    kept.delete(key);
    taken -= size;
  }
}

function sizeOf(entries: readonly DictionaryEntry[]): number {
  return entries.reduce(
    (sum, { source, target }) => sum + ENTRY_BYTES + 2 * (source.length + (target?.length ?? 0)),
    0,
  );
}

function finished<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  // No dictionary lies in shared memory.
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

lowerPriority(NICENESS);

answerRequests((request: DictionaryRequest): DictionaryReply => {
  try {
    return request.kind === 'check' ? { checked: check(request) } : { found: find(request) };
  } catch (error) {
    if (error instanceof WrongFile) return { wrong: error.errors };
    throw error;
  }
});
