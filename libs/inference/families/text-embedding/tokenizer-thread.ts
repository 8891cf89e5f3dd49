import type { Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';
import { startThread } from '@adit/runtime';
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

interface Waiting {
  source: TokenizerSource;
  ask: TokenizerRequest['ask'];
  resolve: (answer: number[] | string) => void;
  reject: (error: unknown) => void;
}

/** Heap limit of the thread; reading the largest accepted `tokenizer.json` takes a third of it. */
const MEMORY_MIB = 2048;
/** Idle time after which the thread ends and frees its tokenizers. */
const KEPT_MS = 120_000;
/** Time limit of a request. Reading the largest file takes seconds, a text milliseconds; longer ones are attacks. */
const MOST_MS = 60_000;

/**
 * Runs tokenizers in a worker thread: reading a file of 30 MB takes seconds, which would block the event loop. Requests
 * are served one after the other.
 */
export class TokenizerThread {
  private worker: Worker | null = null;
  private readonly queue: Waiting[] = [];
  private current: Waiting | null = null;
  private idle: NodeJS.Timeout | undefined;
  private late: NodeJS.Timeout | undefined;

  constructor(private readonly keptMs = KEPT_MS) {}

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
    return this.worker !== null;
  }

  /** Ends the thread and rejects waiting requests; the next request starts another. */
  async close(): Promise<void> {
    const { worker, current } = this;
    this.worker = null;
    this.current = null;
    clearTimeout(this.idle);
    clearTimeout(this.late);
    const waiting = [...(current === null ? [] : [current]), ...this.queue.splice(0)];
    for (const { reject } of waiting) reject(new AditError('UNAVAILABLE', 'The process ends.'));
    await worker?.terminate();
  }

  private ask(source: TokenizerSource, ask: TokenizerRequest['ask']): Promise<number[] | string> {
    return new Promise((resolve, reject) => {
      this.queue.push({ source, ask, resolve, reject });
      this.next();
    });
  }

  private next(): void {
    if (this.current !== null) return;
    this.current = this.queue.shift() ?? null;
    if (this.current === null) this.rest();
    else this.post(this.current, null);
  }

  private post({ source: { digest }, ask }: Waiting, file: Uint8Array | null): void {
    clearTimeout(this.idle);
    this.worker ??= this.start();
    this.worker.ref();
    clearTimeout(this.late);
    this.late = setTimeout(() => this.giveUp(), MOST_MS);
    this.worker.postMessage({ digest, file, ask } satisfies TokenizerRequest);
  }

  /** An idle thread does not keep the process alive. */
  private rest(): void {
    const { worker } = this;
    if (worker === null) return;
    worker.unref();
    this.idle = setTimeout(() => {
      this.worker = null;
      void worker.terminate();
    }, this.keptMs).unref();
  }

  private start(): Worker {
    const worker = startThread('tokenizer-worker', import.meta.url, {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
    });
    worker.on('message', (reply: TokenizerReply) => {
      if (this.worker === worker) this.answered(reply);
    });
    worker.once('error', (error) => this.lose(worker, error));
    worker.once('exit', () => this.lose(worker, new Error('it ended without an answer')));
    return worker;
  }

  private answered(reply: TokenizerReply): void {
    const { current } = this;
    if (current === null) return;
    if ('code' in reply) this.end(() => current.reject(new AditError(reply.code, reply.message)));
    else if (reply.answer === null) void this.bring(current);
    else {
      const { answer } = reply;
      this.end(() => current.resolve(answer));
    }
  }

  private async bring(current: Waiting): Promise<void> {
    try {
      const file = await current.source.readFile('tokenizer.json');
      // The thread may have been closed meanwhile.
      if (this.current === current) this.post(current, file);
    } catch (error) {
      if (this.current === current) this.end(() => current.reject(error));
    }
  }

  /** Ends the thread; requests behind the current one get a new thread. */
  private giveUp(): void {
    const { worker, current } = this;
    if (current === null) return;
    this.worker = null;
    void worker?.terminate();
    const message = `tokenizer.json takes longer than ${MOST_MS / 1000} s for one text.`;
    this.end(() => current.reject(new AditError('VALIDATION', message)));
  }

  private end(tell: () => void): void {
    clearTimeout(this.late);
    this.current = null;
    tell();
    this.next();
  }

  private lose(worker: Worker, reason: Error): void {
    if (this.worker !== worker) return;
    this.worker = null;
    const { current } = this;
    if (current === null) return;
    this.end(() => current.reject(new AditError('INTERNAL', `The thread of tokenizers ended: ${reason.message}.`)));
  }
}

const Ids = z.array(z.int().nonnegative());

/** Instance of this process. */
export const TOKENIZERS = new TokenizerThread();
