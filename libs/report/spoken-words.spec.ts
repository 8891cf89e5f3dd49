import { describe, expect, it } from '@jest/globals';
import { spokenWords } from './spoken-words.js';

const word = (text: string, time_start: number, time_end: number) => ({ text, time_start, time_end, confidence: 1 });

describe('the words of a text', () => {
  it('words are found where they stand, each after the one before', () => {
    const words = [word('to', 0.5, 0.7), word(' be', 0.7, 0.9), word('to', 1, 1.25)];
    expect(spokenWords('to be, to', words)).toEqual([0, 2, 50, 70, 3, 2, 70, 90, 7, 2, 100, 125]);
    expect(spokenWords('今日は', [word('今日', 0, 1), word('は', 1, 2)])).toEqual([0, 2, 0, 100, 2, 1, 100, 200]);
  });

  it('words are missing when they are not those of the text, or have no times', () => {
    expect(spokenWords('to be', [word('too', 0, 1)])).toBeNull();
    expect(spokenWords('to be', [{ text: 'to' }])).toBeNull();
    expect(spokenWords('to be', undefined)).toBeNull();
    expect(spokenWords(undefined, [])).toBeNull();
  });
});
