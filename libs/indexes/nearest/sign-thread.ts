import type { Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';
import { startThread } from '@adit/runtime';
import { packedSigns } from './packed-signs.js';
import type { RowForm, SignReply, SignRequest } from './sign-requests.js';

interface Waiting {
  resolve: (ids: string[]) => void;
  reject: (error: Error) => void;
}

/** Signs of embeddings in a worker thread: comparing a million takes milliseconds, which block nobody else. */
export class SignThread {
  private worker: Worker | null = null;
  private readonly waiting: Waiting[] = [];
  private tables = 0;
  private deaths = 0;

  /** @param lost is called when the thread has died, and all tables with it */
  constructor(private readonly lost: () => void) {}

  /** Changes when all tables were lost. */
  get generation(): number {
    return this.deaths;
  }

  /** Returns the number of a new table. */
  make(): number {
    this.tables += 1;
    return this.tables;
  }

  set(table: number, dimensions: number, ids: string, rows: Uint8Array, form: RowForm): void {
    this.post({ kind: 'set', table, dimensions, ids, rows, form });
  }

  /**
   * Returns ids of those whose signs differ least, unordered. Throws UNAVAILABLE when the table is gone or the thread
   * dies; the next request starts another.
   */
  nearest(table: number, embedding: ArrayLike<number>, count: number): Promise<string[]> {
    this.post({ kind: 'nearest', table, signs: packedSigns(embedding), count }).ref();
    return new Promise<string[]>((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  drop(table: number): void {
    if (this.worker !== null) this.post({ kind: 'drop', table });
  }

  /** Frees all memory. */
  async end(): Promise<void> {
    const { worker } = this;
    this.worker = null;
    this.refuse(new AditError('UNAVAILABLE', 'Face indexes are not searched any more: the process ends.'));
    await worker?.terminate();
  }

  private post(request: SignRequest): Worker {
    const worker = (this.worker ??= this.start());
    worker.postMessage(request);
    return worker;
  }

  private start(): Worker {
    const worker = startThread('sign-worker', import.meta.url);
    worker.on('message', (ids: SignReply) => {
      const asked = this.waiting.shift();
      if (ids === null) asked?.reject(new AditError('UNAVAILABLE', 'A face index is not in memory any more.'));
      else asked?.resolve(ids);
      // An idle thread does not keep the process alive.
      if (this.waiting.length === 0) worker.unref();
    });
    worker.unref();
    worker.once('error', (cause) => this.lose(worker, cause));
    worker.once('exit', () => this.lose(worker, new Error('it ended without an answer')));
    return worker;
  }

  private lose(worker: Worker, cause: Error): void {
    if (this.worker !== worker) return;
    this.worker = null;
    this.deaths += 1;
    this.lost();
    this.refuse(new AditError('UNAVAILABLE', 'The thread that searches face indexes has died.', { cause }));
  }

  private refuse(error: AditError): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }
}
