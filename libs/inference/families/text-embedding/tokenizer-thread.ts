import { AditError } from '@adit/contracts';
import { FairQueue, startThread, ThreadClient } from '@adit/runtime';
import { z } from 'zod';

/** Request to the thread; `file` is given when the thread does not hold the tokenizer. */
export interface TokenizerRequest {
  digest: string;
  file: Uint8Array | null;
  ask: { text: string; length: number } | { tokens: readonly number[] };
}
export type TokenizerReply =
  | { answer: number[] | string | null }
  | { code: 'VALIDATION' | 'INTERNAL'; message: string };

/** A network with a `tokenizer.json` beside its graph. */
export interface TokenizerSource {
  readonly digest: string;
  readFile(name: string): Promise<Buffer>;
}

/** Limit of the JavaScript heap of the thread. The largest `tokenizer.json` that is accepted takes a third of it. */
const MEMORY_MIB = 2048;
/** The thread ends so long after the last request, which frees the memory of its tokenizers. */
const IDLE_MS = 120_000;
/** Loading the largest accepted file takes seconds, a text milliseconds. Whatever takes this long was crafted to do so. */
const MAX_MS = 60_000;

/**
 * Runs tokenizers in a worker thread: reading a file of 30 MB takes seconds, which would block the event loop. Requests
 * are served one after the other.
 */
export class TokenizerThread {
  private readonly queue = new FairQueue();
  private readonly thread: ThreadClient<TokenizerRequest, TokenizerReply>;

  constructor(idleMs = IDLE_MS) {
    this.thread = new ThreadClient({
      start: () =>
        startThread('tokenizer-worker', import.meta.url, { resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB } }),
      died: ({ message }) => new AditError('INTERNAL', `The thread of tokenizers ended: ${message}.`),
      idleMs,
      limit: {
        ms: MAX_MS,
        error: () => new AditError('VALIDATION', `tokenizer.json takes longer than ${MAX_MS / 1000} s for one text.`),
      },
    });
  }

  /**
   * Encodes as `TextTokenizer.encode`. Throws VALIDATION for an unusable tokenizer or one that takes a minute, INTERNAL
   * when the thread dies.
   */
  async encode(source: TokenizerSource, text: string, length: number): Promise<number[]> {
    return Ids.parse(await this.ask(source, { text, length }));
  }

  /** Decodes as `TextTokenizer.text`; throws as `encode`. */
  async decode(source: TokenizerSource, tokens: readonly number[]): Promise<string> {
    return z.string().parse(await this.ask(source, { tokens }));
  }

  /** True while the thread runs. */
  get isRunning(): boolean {
    return this.thread.isRunning;
  }

  /** Ends the thread and rejects waiting requests; the next request starts another. */
  async close(): Promise<void> {
    this.queue.refuse(new AditError('UNAVAILABLE', 'The process ends.'));
    await this.thread.close();
  }

  private ask(source: TokenizerSource, ask: TokenizerRequest['ask']): Promise<number[] | string> {
    const { digest } = source;
    return this.queue.run('', async (signal) => {
      const kept = await this.answer({ digest, file: null, ask });
      if (kept !== null) return kept;
      const file = await source.readFile('tokenizer.json');
      signal.throwIfAborted();
      const read = await this.answer({ digest, file, ask });
      if (read === null) throw new AditError('INTERNAL', 'The thread of tokenizers takes no file.');
      return read;
    });
  }

  private async answer(request: TokenizerRequest): Promise<number[] | string | null> {
    const reply = await this.thread.request(request);
    if ('code' in reply) throw new AditError(reply.code, reply.message);
    return reply.answer;
  }
}

const Ids = z.array(z.int().nonnegative());

/** Instance of this process. */
export const TOKENIZERS = new TokenizerThread();
