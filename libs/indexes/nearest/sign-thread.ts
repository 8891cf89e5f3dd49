import { AditError } from '@adit/contracts';
import { startThread, ThreadClient } from '@adit/runtime';
import { packedSigns } from './packed-signs.js';
import type { RowForm, SignReply, SignRequest } from './sign-requests.js';

/** Signs of embeddings in a thread of its own: a million of them are compared in milliseconds, which nobody else waits for. */
export class SignThread {
  private tables = 0;
  private ends = 0;
  private readonly thread = new ThreadClient<SignRequest, SignReply>({
    start: () => startThread('sign-worker', import.meta.url),
    died: (cause) => new AditError('UNAVAILABLE', 'The thread that searches face indexes has died.', { cause }),
    ended: () => {
      this.ends += 1;
      this.lost();
    },
  });

  /** @param lost is told when the thread has ended, and all tables with it */
  constructor(private readonly lost: () => void) {}

  /** Changes when all tables were lost. */
  get generation(): number {
    return this.ends;
  }

  /** Returns the number of a new table. */
  make(): number {
    this.tables += 1;
    return this.tables;
  }

  set(table: number, dimensions: number, ids: string, rows: Uint8Array, form: RowForm): void {
    this.thread.post({ kind: 'set', table, dimensions, ids, rows, form });
  }

  /**
   * Returns ids of those whose signs differ least, unordered. Throws UNAVAILABLE when the table is gone or the thread
   * dies; the next request starts another.
   */
  async nearest(table: number, embedding: ArrayLike<number>, count: number): Promise<string[]> {
    const ids = await this.thread.request({ kind: 'nearest', table, signs: packedSigns(embedding), count });
    if (ids === null) throw new AditError('UNAVAILABLE', 'A face index is not in memory any more.');
    return ids;
  }

  drop(table: number): void {
    if (this.thread.isRunning) this.thread.post({ kind: 'drop', table });
  }

  /** Frees all memory. */
  async end(): Promise<void> {
    const message = 'The process is shutting down and searches no face indexes. Try again.';
    await this.thread.close(new AditError('UNAVAILABLE', message));
  }
}
