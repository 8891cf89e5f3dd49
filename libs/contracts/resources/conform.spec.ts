import { describe, expect, it } from '@jest/globals';
import { Conform } from './conform.js';

describe('what a source conforms to', () => {
  it.each(['TAPE 7', ' A001 ', '~'])('%j is a reel', (reel) => {
    expect(Conform.parse({ reel })).toEqual({ reel });
  });

  it.each([' '.repeat(64), '', 'A\n', 'Ä1'])('%j is none', (reel) => {
    expect(Conform.safeParse({ reel }).success).toBe(false);
  });

  it.each(['reel', 'master'] as const)('a %s far too long is refused at once', (name) => {
    for (const text of ['A', ' ', 'a:', 'a+'].map((part) => `${part.repeat(200_000)}\n`)) {
      const begun = performance.now();
      expect(Conform.safeParse({ [name]: text }).success).toBe(false);
      expect(performance.now() - begun).toBeLessThan(500);
    }
  });
});
