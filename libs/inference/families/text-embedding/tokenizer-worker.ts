import { parentPort } from 'node:worker_threads';
import { AditError, dropOldest } from '@adit/contracts';
import type { TokenizerReply, TokenizerRequest } from './tokenizer-thread.js';
import { TextTokenizer } from './tokenizer.js';

/** Number of tokenizers kept, the most recently used ones; the largest take some hundred megabytes each. */
const MOST_KEPT = 3;

if (!parentPort) throw new Error('tokenizer-worker runs as a worker thread only.');
const main = parentPort;
/** By the digest of the model version, the most recently used last. */
const kept = new Map<string, TextTokenizer>();

main.on('message', (request: TokenizerRequest) => {
  let reply: TokenizerReply;
  try {
    reply = { answer: answerTo(request) };
  } catch (error) {
    const { code, message } = AditError.from(error);
    reply = { code: code === 'VALIDATION' ? code : 'INTERNAL', message };
  }
  main.postMessage(reply);
});

/** Null when the tokenizer is not held and its file was not sent. */
function answerTo({ digest, file, ask }: TokenizerRequest): number[] | string | null {
  const tokenizer = kept.get(digest) ?? (file === null ? null : TextTokenizer.read(Buffer.from(file)));
  if (tokenizer === null) return null;
  kept.delete(digest);
  kept.set(digest, tokenizer);
  dropOldest(kept, MOST_KEPT);
  return 'text' in ask ? tokenizer.encode(ask.text, ask.length) : tokenizer.text(ask.tokens);
}
