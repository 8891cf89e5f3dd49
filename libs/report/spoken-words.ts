/** Words of all segments together: four numbers each, a megabyte at the most. */
export const ALL_WORDS = 60_000;

/** Words of a text, each by its offset and length in it and by its start and end in hundredths of a second, in one row. */
export type SpokenWords = number[];

/**
 * Returns the places and times of the words of a text, for a page that highlights them. Null when the segment has no
 * times of words, or when they are not those of the text.
 *
 * @param text of the segment.
 * @param words as its `meta` has them.
 */
export function spokenWords(text: unknown, words: unknown): SpokenWords | null {
  if (typeof text !== 'string' || !Array.isArray(words)) return null;
  const row: number[] = [];
  let from = 0;
  for (const word of words) {
    const said = wordOf(word);
    if (said === null) return null;
    const at = text.indexOf(said.text, from);
    if (at < 0) return null;
    from = at + said.text.length;
    row.push(at, said.text.length, Math.round(said.start * 100), Math.round(said.end * 100));
  }
  return row;
}

function wordOf(word: unknown): { text: string; start: number; end: number } | null {
  if (typeof word !== 'object' || word === null || !('text' in word)) return null;
  if (!('time_start' in word) || !('time_end' in word)) return null;
  const { text, time_start: start, time_end: end } = word;
  if (typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number') return null;
  return { text: text.trim(), start, end };
}
