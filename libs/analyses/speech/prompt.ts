import type { Tokenizer } from './tokenizer.js';

/** Longest prompt in tokens, as in OpenAI's: half of the decoder's context, less the token that opens it. */
export const MOST_PROMPT = 223;

/** Limits on a keyword's characters and on all processed ones, because tokenising a long word takes quadratic time. */
const LONGEST = 100;
const MOST_CHARACTERS = 4_000;

/**
 * Returns keywords as a prompt, as if they had been said before, which makes them likelier: whole ones only, as long as
 * they fit. Skips keywords of more than 100 characters, and the rest of a very long list.
 */
export function promptOf(keywords: readonly string[], tokens: Pick<Tokenizer, 'encode'>): number[] {
  const prompt: number[] = [];
  let looked = 0;
  for (const keyword of keywords) {
    const word = keyword.trim();
    if (word === '' || word.length > LONGEST) continue;
    looked += word.length;
    if (looked > MOST_CHARACTERS || prompt.length === MOST_PROMPT) break;
    const piece = tokens.encode(prompt.length === 0 ? ` ${word}` : `, ${word}`);
    if (prompt.length + piece.length <= MOST_PROMPT) prompt.push(...piece);
  }
  return prompt;
}
