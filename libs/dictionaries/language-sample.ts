import type { DictionaryEntry } from './dictionary.js';

/** Number of entries that are enough to detect a language quickly. */
const SAMPLED_ENTRIES = 1_000;
const SAMPLED_CHARACTERS = 20_000;

/** Returns text from all over a dictionary (of a map, from its sources), to detect its language. */
export function languageSample(entries: readonly DictionaryEntry[]): string {
  const step = Math.max(1, entries.length / SAMPLED_ENTRIES);
  let text = '';
  for (let at = 0; at < entries.length && text.length < SAMPLED_CHARACTERS; at += step) {
    text += `${entries[Math.floor(at)]?.source ?? ''}. `;
  }
  return text;
}
