import type { LabelDictionaries } from '@adit/dictionaries';
import { GERMAN } from './german.js';

/** Label of an object as the client sees it, by the network's own (English) one; null leaves it out. */
export type Naming = (label: string) => string | null;

/**
 * Labels in the language asked for (0 English, 1 German; English where there is no German word), then replaced or left
 * out by the job's dictionaries.
 */
export function namingIn(language: 0 | 1, dictionaries: LabelDictionaries): Naming {
  if (language === 1) return (label) => dictionaries.apply(GERMAN.get(label) ?? label, 'de');
  return (label) => dictionaries.apply(label, 'en');
}

/** Labels that are words of the job itself, or of its dictionaries: those say what is looked for, and maps what it is called. */
export function namingOfWords(dictionaries: LabelDictionaries): Naming {
  return (label) => dictionaries.rename(label);
}
