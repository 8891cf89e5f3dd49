import { describe, expect, it } from '@jest/globals';
import { MAX_PROMPT_TOKENS, promptOf } from './prompt.js';

/** One token per character. */
const tokens = { encode: (text: string): number[] => Array.from(text, (character) => character.charCodeAt(0)) };
const prompt = (keywords: string[]): string => String.fromCharCode(...promptOf(keywords, tokens));

describe('keywords in the prompt', () => {
  it('are a list, as if it had been said before', () => {
    expect(prompt(['Weber', ' Adit ', '', 'Jo'])).toBe(' Weber, Adit, Jo');
    expect(prompt([])).toBe('');
  });

  it('are whole, and as many as fit, from the first on', () => {
    const keywords = Array.from({ length: 1000 }, (_, i) => `word${i}`);
    const written = prompt(keywords);
    expect(written.length).toBeLessThanOrEqual(MAX_PROMPT_TOKENS);
    expect(written.length).toBeGreaterThan(MAX_PROMPT_TOKENS - 10);
    expect(keywords.join(', ').startsWith(`${written.trim()}, `)).toBe(true);
    expect(prompt(['x'.repeat(300), 'short'])).toBe(' short');
  });

  it('are limited before tokenisation, which takes quadratic time in the length of a word', () => {
    const encoded: string[] = [];
    const none = {
      encode: (text: string): number[] => (encoded.push(text), new Array<number>(MAX_PROMPT_TOKENS + 1).fill(0)),
    };
    expect(promptOf(['y'.repeat(200), ...Array.from({ length: 1000 }, () => 'x'.repeat(100))], none)).toEqual([]);
    expect(encoded.length).toBe(40);
  });
});
