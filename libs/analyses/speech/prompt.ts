import type { Tokenizer } from './tokenizer.js';

/** Longest prompt in tokens, as in OpenAI's: half of the decoder's context, less the token that opens it. */
export const MAX_PROMPT_TOKENS = 223;

/** Limits on a keyword's characters and on all processed ones, because tokenising a long word takes quadratic time. */
const MAX_KEYWORD_CHARACTERS = 100;
const MAX_CHARACTERS = 4_000;

/**
 * Returns keywords as a prompt, as if they had been said before, which makes them likelier: whole ones only, as long as
 * they fit. Skips keywords of more than 100 characters, and the rest of a very long list.
 */
export function promptOf(keywords: readonly string[], tokens: Pick<Tokenizer, 'encode'>): number[] {
  const prompt: number[] = [];
  let characters = 0;
  for (const keyword of keywords) {
    const word = keyword.trim();
    if (word === '' || word.length > MAX_KEYWORD_CHARACTERS) continue;
    characters += word.length;
    if (characters > MAX_CHARACTERS || prompt.length === MAX_PROMPT_TOKENS) break;
    const piece = tokens.encode(prompt.length === 0 ? ` ${word}` : `, ${word}`);
    if (prompt.length + piece.length <= MAX_PROMPT_TOKENS) prompt.push(...piece);
  }
  return prompt;
}
