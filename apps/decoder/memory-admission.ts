import { totalmem } from 'node:os';
import { admittedBytes } from './metrics.js';

interface Waiting {
  bytes: number;
  enter(): void;
}

/**
 * Admits decoding by its estimated memory, within a budget, the longest waiting first. Work above the budget runs
 * alone.
 */
export class MemoryAdmission {
  private used = 0;
  private readonly queue: Waiting[] = [];

  constructor(private readonly budget: number) {}

  /** Runs `work` once there is memory. Throws the signal's reason when it is aborted before. */
  async admit<T>(bytes: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.enter(bytes, signal);
    try {
      return await work();
    } finally {
      this.take(-bytes);
      this.next();
    }
  }

  private enter(bytes: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        reject(signal?.reason);
        // The aborted work may have been first in the queue.
        this.next();
      };
      const waiting: Waiting = {
        bytes,
        enter: () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.queue.push(waiting);
      this.next();
    });
  }

  private next(): void {
    for (let first = this.queue[0]; first !== undefined; first = this.queue[0]) {
      if (this.used > 0 && this.used + first.bytes > this.budget) return;
      this.queue.shift();
      this.take(first.bytes);
      first.enter();
    }
  }

  private take(bytes: number): void {
    this.used += bytes;
    admittedBytes.set(this.used);
  }
}

/** Returns a quarter of the machine's or container's memory, and half a gibibyte at least. */
export function defaultDecodeMemory(): number {
  const limit = process.constrainedMemory();
  // Without a limit it is 0, or more than any machine has.
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(memory / 4, 512 * 2 ** 20);
}
