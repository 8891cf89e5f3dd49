import type { TranscriptParagraph, TranscriptWord } from '@adit/client';

export type Word = TranscriptWord;
/** A paragraph of the API, whose place in the list replaces its index. Times in seconds. A new one has the revision 0. */
export type Paragraph = Omit<TranscriptParagraph, 'index'>;
export type Paragraphs = readonly Paragraph[];

/** A piece of the text: a word by its number, or the text between words. */
export interface Piece {
  text: string;
  word: number | null;
  /** Beginning in the text, in UTF-16 units. */
  from: number;
}

/** Splits the text into its words and the text between them. Words that the text lacks are left out. */
export function piecesOf({ text, words }: Pick<Paragraph, 'text' | 'words'>): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const [index, word] of words.entries()) {
    const from = word.text === '' ? -1 : text.indexOf(word.text, at);
    if (from < 0) continue;
    if (from > at) pieces.push({ text: text.slice(at, from), word: null, from: at });
    pieces.push({ text: word.text, word: index, from });
    at = from + word.text.length;
  }
  if (at < text.length) pieces.push({ text: text.slice(at), word: null, from: at });
  return pieces;
}

/**
 * Estimates the words of an edited text until the service has aligned them. Unchanged words at its beginning and end keep their
 * times; the others share the time between in proportion to their letters.
 */
export function wordsOf({ words, time_start, time_end }: Omit<Paragraph, 'text'>, text: string): Word[] {
  const tokens = text.match(/\S+/gu) ?? [];
  const shorter = Math.min(tokens.length, words.length);
  let head = 0;
  while (head < shorter && words[head]?.text === tokens[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && words.at(-1 - tail)?.text === tokens.at(-1 - tail)) tail += 1;
  const after = words.slice(words.length - tail);
  const begin = words[head - 1]?.time_end ?? time_start;
  const end = Math.max(begin, after[0]?.time_start ?? time_end);
  const written = tokens.slice(head, tokens.length - tail);
  const letters = written.reduce((sum, token) => sum + token.length, 0);
  let spoken = 0;
  const timeAt = () => begin + (letters === 0 ? 0 : (spoken / letters) * (end - begin));
  const shared = written.map((token) => {
    const from = timeAt();
    spoken += token.length;
    return { text: token, time_start: from, time_end: timeAt(), confidence: 1 };
  });
  return [...words.slice(0, head), ...shared, ...after];
}

/** True when two paragraphs have the same content; words are derived and not compared. */
export function isSame(a: Paragraph, b: Paragraph): boolean {
  return (
    a === b ||
    (a.text === b.text && a.speaker === b.speaker && a.time_start === b.time_start && a.time_end === b.time_end)
  );
}
