import type { Tokenizer } from './tokenizer.js';

/** Tokens of a prompt before the text, as in OpenAI's: half of what the decoder takes, less the token that opens it. */
export const MOST_PROMPT = 223;

/**
 * Keywords as if they had been said before, which makes them likelier: whole ones only, each while there is
 * room for it.
 */
export function promptOf(keywords: readonly string[], tokens: Pick<Tokenizer, 'encode'>): number[] {
  const prompt: number[] = [];
  for (const keyword of keywords) {
    const word = keyword.trim();
    if (word === '') continue;
    const piece = tokens.encode(prompt.length === 0 ? ` ${word}` : `, ${word}`);
    if (prompt.length + piece.length <= MOST_PROMPT) prompt.push(...piece);
  }
  return prompt;
}
