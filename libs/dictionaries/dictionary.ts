import type { DictionaryLanguage, DictionarySpecification, DictionaryType } from '@adit/contracts';

/** `target` replaces the source; null in a simple dictionary. */
export interface DictionaryEntry {
  source: string;
  target: string | null;
}

/** Comparison of labels with entries. */
export type Comparison = Pick<DictionarySpecification, 'mode' | 'threshold'>;

interface DictionaryHead {
  name: string;
  type: DictionaryType;
  language: DictionaryLanguage;
}

/** A small dictionary in memory, in its pinned version: it is searched in the calling thread. */
export interface LoadedDictionary extends DictionaryHead {
  entries: readonly DictionaryEntry[];
}

/** A large dictionary in its pinned version: it is read, indexed and searched in a thread, and queried ahead. */
export interface DistantDictionary extends DictionaryHead {
  /**
   * Returns the best entry for each of these folded texts; null where none matches. Without texts it only prepares the
   * index. Throws INTERNAL when its file is gone, TOO_LARGE when it needs too much memory, UNAVAILABLE.
   */
  find(how: Comparison, texts: readonly string[]): Promise<(DictionaryEntry | null)[]>;
}

export type UsedDictionary = LoadedDictionary | DistantDictionary;
