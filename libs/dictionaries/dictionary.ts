import type { DictionaryLanguage, DictionarySpecification, DictionaryType } from '@adit/contracts';

/** `target` is what replaces the source; null in a simple dictionary. */
export interface DictionaryEntry {
  source: string;
  target: string | null;
}

/** How labels are compared with entries. */
export type Comparison = Pick<DictionarySpecification, 'mode' | 'threshold'>;

interface DictionaryHead {
  name: string;
  type: DictionaryType;
  language: DictionaryLanguage;
}

/** A dictionary in memory, of the version that was pinned: a small one is searched where it is asked. */
export interface LoadedDictionary extends DictionaryHead {
  entries: readonly DictionaryEntry[];
}

/** A large one of the version that was pinned, which is asked ahead: it is read, indexed and searched in a thread. */
export interface DistantDictionary extends DictionaryHead {
  /**
   * The best entry for each of these texts, which are folded; null where none is like it. Without texts it is made ready.
   * Throws INTERNAL when its file has gone, TOO_LARGE when it takes too much memory, UNAVAILABLE.
   */
  find(how: Comparison, texts: readonly string[]): Promise<(DictionaryEntry | null)[]>;
}

export type UsedDictionary = LoadedDictionary | DistantDictionary;
