import { AditError, dropOldest } from '@adit/contracts';
import { answerRequests } from '@adit/runtime/thread-requests';
import type { TokenizerReply, TokenizerRequest } from './tokenizer-thread.js';
import { TextTokenizer } from './tokenizer.js';

/** Number of tokenizers kept, the most recently used ones; the largest take some hundred megabytes each. */
const MAX_KEPT = 3;

/** By the digest of their model's version; those used last stand last. */
const kept = new Map<string, TextTokenizer>();

answerRequests((request: TokenizerRequest): TokenizerReply => {
  try {
    return { answer: answerTo(request) };
  } catch (error) {
    const { code, message } = AditError.from(error);
    return { code: code === 'VALIDATION' ? code : 'INTERNAL', message };
  }
});

/** Null when the tokenizer is not held and its file was not sent. */
function answerTo({ digest, file, ask }: TokenizerRequest): number[] | string | null {
  const tokenizer = kept.get(digest) ?? (file === null ? null : TextTokenizer.read(Buffer.from(file)));
  if (tokenizer === null) return null;
  kept.delete(digest);
  kept.set(digest, tokenizer);
  dropOldest(kept, MAX_KEPT);
  return 'text' in ask ? tokenizer.encode(ask.text, ask.length) : tokenizer.text(ask.tokens);
}
