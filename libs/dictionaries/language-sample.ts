import type { DictionaryEntry } from './dictionary.js';

/** Enough to tell a language by, little enough to take no time. */
const SAMPLED_ENTRIES = 1_000;
const SAMPLED_CHARACTERS = 20_000;

/** Text from all over a dictionary, of what it compares labels with (of a map, its sources), to tell its language by. */
export function languageSample(entries: readonly DictionaryEntry[]): string {
  const step = Math.max(1, entries.length / SAMPLED_ENTRIES);
  let text = '';
  for (let at = 0; at < entries.length && text.length < SAMPLED_CHARACTERS; at += step) {
    text += `${entries[Math.floor(at)]?.source ?? ''}. `;
  }
  return text;
}
