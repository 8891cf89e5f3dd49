import { dropOldest, languageName } from '@adit/contracts';
import type { DictionaryLanguage, DictionarySpecification } from '@adit/contracts';
import { atOnce, inTimeSlices } from '@adit/runtime';
import type { Comparison, DictionaryEntry, LoadedDictionary, UsedDictionary } from './dictionary.js';
import { askedAhead, DistantAnswers, rehearsed } from './distant-answers.js';
import type { EntryIndex } from './entry-index.js';
import { indexing } from './index-entries.js';
import { foldText } from './fold-text.js';

interface Applied {
  dictionary: UsedDictionary;
  mode: DictionarySpecification['mode'];
  /** Returns the best entry for a folded label. */
  find: (folded: string) => DictionaryEntry | null;
}

/** Dictionaries of a job for one module. */
export interface LabelDictionaries {
  /** True when there is nothing to apply. */
  readonly isEmpty: boolean;
  /**
   * Returns the client's form of a label: replaced by the first map that has it; null when simple dictionaries are
   * given and none lists it. `language` is the label's, by name or code; omit it for labels without one, such as names.
   */
  apply(label: string, language?: string): string | null;
  /** Applies only maps: for labels of secondary fields, which are never dropped. */
  rename(label: string, language?: string): string;
  /** True when simple dictionaries are given for this language, so that results without a label are dropped too. */
  selects(language?: string): boolean;
  /** The large ones among them, which have to be queried ahead (`askAhead`). */
  readonly distant: readonly DistantAnswers[];
}

/**
 * Queries large dictionaries ahead for everything that `call`, which must be pure, will ask; await it before the call.
 * Throws errors of reading a dictionary.
 */
export function askAhead(dictionaries: readonly LabelDictionaries[], call: () => unknown): Promise<void> {
  const distant = dictionaries.flatMap((each) => each.distant);
  return askedAhead(distant, call);
}

/** Makes a pure call without the answers of large dictionaries, to collect something else. */
export function rehearse(dictionaries: readonly LabelDictionaries[], call: () => unknown): void {
  const distant = dictionaries.flatMap((each) => each.distant);
  rehearsed(distant, call);
}

/**
 * Dictionaries of one module of a job, in the client's order.
 *
 * A **map** replaces a label that matches one of its sources by the target; the first map that has it decides, and its
 * result is not looked up again. **Simple** dictionaries together list the wanted labels: a label that matches no
 * entry, before or after its replacement, is dropped. With `exact` and `fuzzy` a listed label gets the entry's
 * spelling, which corrects misread names.
 */
export class AppliedDictionaries implements LabelDictionaries {
  private readonly maps: Applied[];
  private readonly lists: Applied[];
  readonly distant: DistantAnswers[] = [];
  /** A film has the same few labels again and again. */
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
      if (this.known.size >= MAX_KNOWN) this.known.clear();
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

const MAX_KNOWN = 10_000;

/** Lookup of modules without dictionaries: every label stays unchanged. */
export const NO_DICTIONARIES: LabelDictionaries = new AppliedDictionaries([]);

/**
 * Tests whether a dictionary applies to results of a language: `any` applies to all, and every dictionary to results
 * without a language.
 */
export function servesLanguage(dictionary: DictionaryLanguage, language: string | undefined): boolean {
  if (dictionary === 'any' || language === undefined || language === 'any') return true;
  return (languageName(language) ?? language) === dictionary;
}

function forLanguage(applied: Applied[], language: string | undefined): Applied[] {
  return applied.filter(({ dictionary }) => servesLanguage(dictionary.language, language));
}

/**
 * Number of cached indexes per dictionary, since there may be one per threshold. Those in use by a job stay with it.
 */
const MAX_INDEXES = 16;
/** Indexes are shared by the jobs that use a loaded dictionary in the same way. */
const indexes = new WeakMap<LoadedDictionary, Map<string, EntryIndex>>();

function indexOf(dictionary: LoadedDictionary, how: Comparison): EntryIndex {
  const known = knownIndexes(dictionary);
  const key = keyOf(how);
  const index = known.get(key) ?? atOnce(indexing(sourcesOf(dictionary), how));
  remember(known, key, index);
  return index;
}

/** Returns the number of a dictionary's cached indexes. */
export function indexesKept(dictionary: LoadedDictionary): number {
  return knownIndexes(dictionary).size;
}

/** The most recently used last. */
function remember(known: Map<string, EntryIndex>, key: string, index: EntryIndex): void {
  known.delete(key);
  known.set(key, index);
  dropOldest(known, MAX_INDEXES);
}

/** Builds the index for a later use of the dictionary, in time slices. */
export async function prepareIndex(dictionary: UsedDictionary, how: Comparison): Promise<void> {
  if (!('entries' in dictionary)) {
    await dictionary.find({ mode: how.mode, threshold: how.threshold }, []);
    return;
  }
  const known = knownIndexes(dictionary);
  const key = keyOf(how);
  if (!known.has(key)) remember(known, key, await inTimeSlices(indexing(sourcesOf(dictionary), how)));
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
