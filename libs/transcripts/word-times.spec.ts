import type { TranscriptWord } from '@adit/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { anyParagraphs, inked } from './testing/arbitrary.js';
import { tokensOf } from './tokens.js';
import { editedWords, timedTokens, wordsOfText } from './word-times.js';

function paragraphOf(...words: [text: string, start: number, end: number][]) {
  const timed = words.map(([text, start, end]): TranscriptWord => ({
    text,
    time_start: start,
    time_end: end,
    confidence: 0.8,
  }));
  const text = words.map(([word]) => word).join(' ');
  return { text, time_start: words[0]![1], time_end: words.at(-1)![2], words: timed };
}

const times = (words: TranscriptWord[]) =>
  words.map(({ text, time_start: start, time_end: end }) => [text, start, end]);
const heard = paragraphOf(['We', 1, 1.2], ['shall', 1.2, 1.5], ['go', 1.8, 2], ['home.', 2, 2.6]);

describe('words of a text', () => {
  it('words are all of the text, in order, with times in order', () => {
    fc.assert(
      fc.property(anyParagraphs, (paragraphs) => {
        for (const paragraph of paragraphs) {
          const tokens = timedTokens(paragraph);
          expect(inked(tokens.map(({ text }) => text).join(''))).toBe(inked(paragraph.text));
          let time = paragraph.time_start;
          for (const { time_start: start, time_end: end } of tokens) {
            expect(start).toBeGreaterThanOrEqual(time);
            expect(end).toBeGreaterThanOrEqual(start);
            expect(end).toBeLessThanOrEqual(paragraph.time_end);
            time = start;
          }
        }
      }),
    );
  });

  it('words share the time of their paragraph by length where nothing else is known', () => {
    const words = wordsOfText({ text: 'one two three', time_start: 0, time_end: 13, words: [] }, 0.7);
    expect(times(words)).toEqual([
      ['one', 0, 3],
      ['two', 4, 7],
      ['three', 8, 13],
    ]);
    expect(words.map(({ confidence }) => confidence)).toEqual([0.7, 0.7, 0.7]);
  });

  it('words are found where no blank parts them', () => {
    expect(tokensOf('我们回家。 ok').map(({ text, glued }) => [text, glued])).toEqual([
      ['我们', false],
      ['回家。', true],
      ['ok', false],
    ]);
  });
});

describe('an edited paragraph', () => {
  it('keeps the times of the words that were there', () => {
    expect(times(editedWords(heard, 'We should go home now.'))).toEqual([
      ['We', 1, 1.2],
      ['should', 1.2, 1.5],
      ['go', 1.8, 2],
      ['home', 2, 2.6],
      ['now.', 2.6, 2.6],
    ]);
  });

  it('gives new words what lies between, and takes punctuation for no change', () => {
    const words = editedWords(heard, 'we, shall all go');
    expect(times(words)).toEqual([
      ['we,', 1, 1.2],
      ['shall', 1.2, 1.5],
      ['all', 1.5, 1.8],
      ['go', 1.8, 2],
    ]);
    expect(words.map(({ confidence }) => confidence)).toEqual([0.8, 0.8, 1, 0.8]);
  });

  it('an edited paragraph has all words of its text with times in order, whatever it was before', () => {
    const extent = (each: { time_start: number; time_end: number }) => [each.time_start, each.time_end];
    fc.assert(
      fc.property(anyParagraphs, anyParagraphs, (before, after) => {
        before.forEach((paragraph, at) => {
          const text = after[at]?.text ?? '';
          const words = editedWords(paragraph, text);
          expect(inked(words.map((word) => word.text).join(''))).toBe(inked(text));
          const [start, end] = extent(paragraph);
          let time = start!;
          for (const word of words) {
            expect(word.time_start).toBeGreaterThanOrEqual(time);
            expect(word.time_end).toBeGreaterThanOrEqual(word.time_start);
            expect(word.time_end).toBeLessThanOrEqual(end!);
            time = word.time_start;
          }
        });
      }),
    );
  });

  /** @hardening overload: A transcript's word of marks alone holds the gateway */
  it('an edited paragraph is aligned whatever its marks are, without standing still', () => {
    // One word, whose marks become four each when they are compared: beginning anew at each takes a minute.
    const marks = `a${'\u2057'.repeat(9_998)}b`;
    const began = process.cpuUsage();
    expect(editedWords(heard, marks).map(({ text }) => text)).toEqual([marks]);
    expect(process.cpuUsage(began).user / 1e6).toBeLessThan(2);
  });

  it('changes nothing when nothing was changed', () => {
    fc.assert(
      fc.property(anyParagraphs, (paragraphs) => {
        for (const paragraph of paragraphs) {
          expect(editedWords(paragraph, paragraph.text)).toEqual(wordsOfText(paragraph));
        }
      }),
    );
  });
});
