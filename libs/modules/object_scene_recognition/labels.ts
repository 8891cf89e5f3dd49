import type { LabelDictionaries } from '@adit/dictionaries';
import { GERMAN } from './german.js';

/** Maps the network's (English) label of an object to the client's; null drops it. */
export type Naming = (label: string) => string | null;

/**
 * Returns labels in the requested language (0 English, 1 German; English where there is no German word), then replaced
 * or dropped by the job's dictionaries.
 */
export function namingIn(language: 0 | 1, dictionaries: LabelDictionaries): Naming {
  if (language === 1) return (label) => dictionaries.apply(GERMAN.get(label) ?? label, 'de');
  return (label) => dictionaries.apply(label, 'en');
}

/**
 * Returns labels that are search words of the job or of its dictionaries: lists select the words, and maps rename them.
 */
export function namingOfWords(dictionaries: LabelDictionaries): Naming {
  return (label) => dictionaries.rename(label);
}
