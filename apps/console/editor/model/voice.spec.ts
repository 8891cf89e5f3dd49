import { describe, expect, it } from '@jest/globals';
import type { Paragraph } from './paragraph.js';
import { find } from './search.js';
import { VoiceIndex } from './voice.js';

const spoken = (id: string, start: number, end: number, text = 'one two', speaker: string | null = null): Paragraph => {
  const words = text.split(' ').map((word, at) => ({
    ...{ text: word, time_start: start + at, time_end: start + at + 1, confidence: 1 },
  }));
  return { id, revision: 1, text, speaker, time_start: start, time_end: end, words };
};

describe('the voice', () => {
  // An edit may have put them into another order.
  const index = new VoiceIndex([spoken('later', 10, 12), spoken('first', 1, 3)]);
  it.each([
    [0.5, null],
    [1, { id: 'first', word: 0 }],
    [2.4, { id: 'first', word: 1 }],
    [5, null],
    [11.5, { id: 'later', word: 1 }],
    [13, null],
  ])('at %d s is at %j', (seconds, expected) => expect(index.at(seconds)).toEqual(expected));
});

describe('a search', () => {
  const paragraphs = [spoken('a', 0, 1, 'Straße (neu). STRASSE'), spoken('b', 1, 2, 'nothing', 'Neumann')];
  it('finds a text as it is written, whatever its case, and names', () => {
    expect(find(paragraphs, ' (NEU). ')).toEqual([{ id: 'a', from: 7, to: 13 }]);
    expect(find(paragraphs, 'neu')).toEqual([
      { id: 'a', from: 8, to: 11 },
      { id: 'b', from: 0, to: 0 },
    ]);
    expect(find(paragraphs, '  ')).toEqual([]);
  });
});
