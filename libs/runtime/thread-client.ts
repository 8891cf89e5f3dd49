import type { Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';
import type { NumberedReply, NumberedRequest } from './thread-requests.js';

export interface ThreadClientOptions {
  /** Starts the thread (`startThread`), which answers by `answerRequests`. */
  start: () => Worker;
  /** The error of whoever waits when the thread ends by itself. */
  died: (cause: Error) => Error;
  /** The error of a request that the thread could not answer. */
  failed?: (message: string) => Error;
  /** Is told when the thread is gone, whatever ended it, and everything it kept with it. */
  ended?: () => void;
  /** So long after the last reply the thread ends, and its memory with it. Without it the thread stays. */
  idleMs?: number;
  /** A request that takes longer ends the thread. */
  limit?: { ms: number; error: () => Error };
}

interface Waiting {
  /** Whoever waits knows the type of the reply. */
  resolve: (reply: never) => void;
  reject: (error: Error) => void;
  late: NodeJS.Timeout | undefined;
}

/**
 * Sends requests to a worker thread and hands out its replies by their numbers. The first request starts the thread, as does the
 * first one after it has ended. Only a request that is waited for keeps the process alive.
 */
export class ThreadClient<Request, Reply = void> {
  private worker: Worker | null = null;
  private readonly waiting = new Map<number, Waiting>();
  private requests = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly options: ThreadClientOptions) {}

  get isRunning(): boolean {
    return this.worker !== null;
  }

  /** The thread's reply. The memory in `transferred` moves there instead of being copied. */
  request<Answer extends Reply = Reply>(request: Request, transferred: readonly ArrayBuffer[] = []): Promise<Answer> {
    const id = ++this.requests;
    return new Promise<Answer>((resolve, reject) => {
      const worker = this.send({ id, request }, transferred);
      worker.ref();
      const { limit } = this.options;
      const late = limit && setTimeout(() => this.giveUp(id, limit.error()), limit.ms);
      this.waiting.set(id, { resolve, reject, late });
    });
  }

  /** Sends what is not answered. */
  post(request: Request): void {
    this.send({ id: null, request }, []);
  }

  /** Ends the thread; the next request starts another. Whoever waits gets the error. */
  async close(error: Error = new AditError('UNAVAILABLE', 'The process ends.')): Promise<void> {
    await this.end(error);
  }

  private send(message: NumberedRequest<Request>, transferred: readonly ArrayBuffer[]): Worker {
    clearTimeout(this.idle);
    const worker = (this.worker ??= this.start());
    worker.postMessage(message, transferred);
    return worker;
  }

  private start(): Worker {
    const worker = this.options.start();
    worker.unref();
    worker.on('message', (reply: NumberedReply<never>) => {
      if (this.worker === worker) this.answered(reply);
    });
    const lost = (cause: Error): void => {
      if (this.worker === worker) void this.end(this.options.died(cause));
    };
    worker.once('error', lost);
    worker.once('exit', () => lost(new Error('it ended without an answer')));
    return worker;
  }

  private answered(reply: NumberedReply<never>): void {
    const waiting = this.waiting.get(reply.id);
    this.waiting.delete(reply.id);
    if (this.waiting.size === 0) this.rest();
    clearTimeout(waiting?.late);
    if ('reply' in reply) waiting?.resolve(reply.reply);
    else waiting?.reject(this.options.failed?.(reply.failure) ?? new Error(reply.failure));
  }

  /** Nobody's end waits for a thread that has nothing to do. */
  private rest(): void {
    this.worker?.unref();
    const { idleMs } = this.options;
    if (idleMs === undefined) return;
    this.idle = setTimeout(() => void this.end(new AditError('UNAVAILABLE', 'The thread rests.')), idleMs).unref();
  }

  private giveUp(id: number, error: Error): void {
    this.waiting.get(id)?.reject(error);
    this.waiting.delete(id);
    void this.end(this.options.died(error));
  }

  private async end(error: Error): Promise<void> {
    const { worker } = this;
    clearTimeout(this.idle);
    this.worker = null;
    if (worker !== null) this.options.ended?.();
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const { reject, late } of waiting) {
      clearTimeout(late);
      reject(error);
    }
    await worker?.terminate();
  }
}
