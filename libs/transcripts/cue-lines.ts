import { elementAt } from '@adit/contracts';
import type { Token } from './tokens.js';

/** Characters of a line at the most, where a format sets no other bound. */
export const LINE = 42;

/** Arrangement of words on two lines. */
export interface Arrangement {
  /** Index of the first word of the second line; the number of words if one line takes all. */
  breakAt: number;
  /** Characters of both lines, blanks included. */
  characters: number;
}

export function endsSentence(word: string): boolean {
  return /[.!?…。！？؟]\P{L}*$/u.test(word);
}

export function endsClause(word: string): boolean {
  return /[,;:–—，、；：،]\P{L}*$/u.test(word);
}

/**
 * On one line where there is room, else on two as long as each other, broken behind punctuation where that costs little.
 * Null where two lines of `longest` characters do not take them.
 */
export function arrange(words: Pick<Token, 'text' | 'length' | 'glued'>[], longest: number = LINE): Arrangement | null {
  // Widths of the line that begins with the first word and ends with each.
  const ends: number[] = [];
  for (const { length, glued } of words) {
    const before = ends.at(-1) ?? 0;
    ends.push(before + (before > 0 && !glued ? 1 : 0) + length);
    if (elementAt(ends, -1) > 2 * longest + 1) return null;
  }
  const whole = ends.at(-1) ?? 0;
  if (whole <= longest) return { breakAt: words.length, characters: whole };
  let best: (Arrangement & { cost: number }) | null = null;
  for (let at = 1; at < words.length; at += 1) {
    const first = elementAt(ends, at - 1);
    const word = elementAt(words, at);
    const second = whole - first - (word.glued ? 0 : 1);
    if (first > longest || second > longest) continue;
    const before = elementAt(words, at - 1).text;
    const cost = Math.abs(first - second) + (endsSentence(before) || endsClause(before) ? 0 : 8) + (word.glued ? 8 : 0);
    if (best === null || cost < best.cost) best = { breakAt: at, characters: first + second, cost };
  }
  return best;
}

/** A line as it is read. */
export function lineText(words: Pick<Token, 'text' | 'glued'>[]): string {
  return words.map(({ text, glued }, at) => (at === 0 || glued ? '' : ' ') + text).join('');
}
