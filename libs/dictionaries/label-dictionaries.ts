import { dropOldest, languageName } from '@adit/contracts';
import type { DictionaryLanguage, DictionarySpecification } from '@adit/contracts';
import { atOnce, inTurns } from '@adit/runtime';
import type { Comparison, DictionaryEntry, LoadedDictionary, UsedDictionary } from './dictionary.js';
import { askedAhead, DistantAnswers, rehearsed } from './distant-answers.js';
import type { EntryIndex } from './entry-index.js';
import { indexing } from './index-entries.js';
import { foldText } from './fold-text.js';

interface Applied {
  dictionary: UsedDictionary;
  mode: DictionarySpecification['mode'];
  /** The best entry for a folded label. */
  find: (folded: string) => DictionaryEntry | null;
}

/** What a module asks of the dictionaries of its job. */
export interface LabelDictionaries {
  /** True when there is nothing to apply. */
  readonly isEmpty: boolean;
  /**
   * The label as the client wants it: replaced by the first map that has it; null when simple dictionaries are given and
   * none lists it. `language` is the label's, by name or code; leave it out for labels that have none, such as names.
   */
  apply(label: string, language?: string): string | null;
  /** Maps alone: for labels that are named in passing and cannot be left out. */
  rename(label: string, language?: string): string;
  /** True when simple dictionaries are given for this language, so that what has no label is left out too. */
  selects(language?: string): boolean;
  /** Of the large ones among them, which have to be asked ahead (`askAhead`). */
  readonly distant: readonly DistantAnswers[];
}

/**
 * Asks large dictionaries ahead what `call` is going to ask them; to be awaited before it is made. It must be pure. Throws what
 * reading a dictionary throws.
 */
export function askAhead(dictionaries: readonly LabelDictionaries[], call: () => unknown): Promise<void> {
  const distant = dictionaries.flatMap((each) => each.distant);
  return askedAhead(distant, call);
}

/** Makes a pure call without the answers of large dictionaries, for who learns something else of it. */
export function rehearse(dictionaries: readonly LabelDictionaries[], call: () => unknown): void {
  const distant = dictionaries.flatMap((each) => each.distant);
  rehearsed(distant, call);
}

/**
 * The dictionaries of one module of a job, in the order in which the client gave them.
 *
 * A **map** replaces a label that is like one of its sources by the target; the first map that has it decides, and what it
 * gives is not looked up again. **Simple** dictionaries together are a list of what is wanted: a label that is like no
 * entry of them is left out, before or after it was replaced. With `exact` and `fuzzy` a listed label is written as the
 * entry is, so that a misread name comes out right.
 */
export class AppliedDictionaries implements LabelDictionaries {
  private readonly maps: Applied[];
  private readonly lists: Applied[];
  readonly distant: DistantAnswers[] = [];
  /** A film says the same few labels over and over. */
  private readonly known = new Map<string, string | null>();

  constructor(given: readonly { specification: DictionarySpecification; dictionary: UsedDictionary }[]) {
    const applied = given.map(({ specification, dictionary }): Applied => ({
      dictionary,
      mode: specification.mode,
      find: this.finderOf(dictionary, specification),
    }));
    this.maps = applied.filter(({ dictionary }) => dictionary.type === 'map');
    this.lists = applied.filter(({ dictionary }) => dictionary.type === 'simple');
  }

  get isEmpty(): boolean {
    return this.maps.length === 0 && this.lists.length === 0;
  }

  apply(label: string, language?: string): string | null {
    if (this.isEmpty) return label;
    const key = `${language ?? ''}\0${label}`;
    let wanted = this.known.get(key);
    if (wanted === undefined) {
      wanted = this.listed(label, this.rename(label, language), language);
      if (this.distant.some(({ isRehearsed }) => isRehearsed)) return wanted;
      if (this.known.size >= MOST_KNOWN) this.known.clear();
      this.known.set(key, wanted);
    }
    return wanted;
  }

  rename(label: string, language?: string): string {
    for (const map of forLanguage(this.maps, language)) {
      const entry = map.find(foldText(label));
      if (entry !== null) return entry.target ?? label;
    }
    return label;
  }

  selects(language?: string): boolean {
    return forLanguage(this.lists, language).length > 0;
  }

  private listed(label: string, renamed: string, language: string | undefined): string | null {
    const lists = forLanguage(this.lists, language);
    if (lists.length === 0) return renamed;
    for (const { mode, find } of lists) {
      const entry = find(foldText(renamed));
      if (entry !== null) return mode === 'contains' ? renamed : entry.source;
      if (renamed !== label && find(foldText(label)) !== null) return renamed;
    }
    return null;
  }

  private finderOf(dictionary: UsedDictionary, how: Comparison): Applied['find'] {
    if ('entries' in dictionary) {
      const index = indexOf(dictionary, how);
      return (folded) => entryAt(dictionary, index.find(folded));
    }
    const { mode, threshold } = how;
    const answers = new DistantAnswers(dictionary, { mode, threshold });
    this.distant.push(answers);
    return (folded) => answers.find(folded);
  }
}

const MOST_KNOWN = 10_000;

/** For modules without dictionaries: every label stays as it is. */
export const NO_DICTIONARIES: LabelDictionaries = new AppliedDictionaries([]);

/** A dictionary serves results of its own language, `any` all; results without a language are served by all. */
export function servesLanguage(dictionary: DictionaryLanguage, language: string | undefined): boolean {
  if (dictionary === 'any' || language === undefined || language === 'any') return true;
  return (languageName(language) ?? language) === dictionary;
}

function forLanguage(applied: Applied[], language: string | undefined): Applied[] {
  return applied.filter(({ dictionary }) => servesLanguage(dictionary.language, language));
}

/** Of one dictionary: there are as many fuzzy ones as thresholds. Those in use by a job stay with it. */
const MOST_INDEXES = 16;
/** Indexes are shared by the jobs that use a loaded dictionary in the same way. */
const indexes = new WeakMap<LoadedDictionary, Map<string, EntryIndex>>();

function indexOf(dictionary: LoadedDictionary, how: Comparison): EntryIndex {
  const known = knownIndexes(dictionary);
  const key = keyOf(how);
  const index = known.get(key) ?? atOnce(indexing(sourcesOf(dictionary), how));
  remember(known, key, index);
  return index;
}

/** How many indexes of a dictionary are kept for other jobs. */
export function indexesKept(dictionary: LoadedDictionary): number {
  return knownIndexes(dictionary).size;
}

/** Those used last stand last. */
function remember(known: Map<string, EntryIndex>, key: string, index: EntryIndex): void {
  known.delete(key);
  known.set(key, index);
  dropOldest(known, MOST_INDEXES);
}

/** Makes the index ahead that applying the dictionary so needs, in turns with the rest of the process. */
export async function prepareIndex(dictionary: UsedDictionary, how: Comparison): Promise<void> {
  if (!('entries' in dictionary)) {
    await dictionary.find({ mode: how.mode, threshold: how.threshold }, []);
    return;
  }
  const known = knownIndexes(dictionary);
  const key = keyOf(how);
  if (!known.has(key)) remember(known, key, await inTurns(indexing(sourcesOf(dictionary), how)));
}

function entryAt({ entries }: LoadedDictionary, place: number | null): DictionaryEntry | null {
  return place === null ? null : (entries[place] ?? null);
}

function knownIndexes(dictionary: LoadedDictionary): Map<string, EntryIndex> {
  const known = indexes.get(dictionary) ?? new Map<string, EntryIndex>();
  indexes.set(dictionary, known);
  return known;
}

function keyOf({ mode, threshold }: Comparison): string {
  return mode === 'fuzzy' ? `fuzzy ${threshold}` : mode;
}

function sourcesOf({ entries }: LoadedDictionary): string[] {
  return entries.map(({ source }) => source);
}
