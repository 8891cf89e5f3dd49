import type { Tokenizer } from './tokenizer.js';

/** Tokens of a prompt before the text, as in OpenAI's: half of what the decoder takes, less the token that opens it. */
export const MOST_PROMPT = 223;

/** Characters of a keyword, and of all that are looked at: joining pieces of a long one takes as the square of its length. */
const LONGEST = 100;
const MOST_CHARACTERS = 4_000;

/**
 * Keywords as if they had been said before, which makes them likelier: whole ones only, each while there is
 * room for it. Of very many, and of none of more than 100 characters, all are looked at.
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
