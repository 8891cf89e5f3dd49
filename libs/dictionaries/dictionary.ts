import type { DictionaryLanguage, DictionaryType } from '@adit/contracts';

/** `target` is what replaces the source; null in a simple dictionary. */
export interface DictionaryEntry {
  source: string;
  target: string | null;
}

/** A dictionary in memory, of the version that was pinned. */
export interface LoadedDictionary {
  name: string;
  type: DictionaryType;
  language: DictionaryLanguage;
  entries: readonly DictionaryEntry[];
}
