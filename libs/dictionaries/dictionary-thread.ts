import type { Transferable, Worker } from 'node:worker_threads';
import { AditError } from '@adit/contracts';
import { startThread } from '@adit/runtime';
import type { DictionaryAnswers, DictionaryReply, DictionaryRequest } from './dictionary-requests.js';
import { refusalOf } from './read-file.js';

interface Waiting {
  request: DictionaryRequest;
  transfer: Transferable[];
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

type Of<Kind extends DictionaryRequest['kind']> = Extract<DictionaryRequest, { kind: Kind }>;

/** Of JavaScript in the thread; a dictionary of half a million entries and its fuzzy index take half as much. */
const MEMORY_MIB = 1024;
/** So long after the last request the thread ends, and the memory of its dictionaries with it. */
const KEPT_MS = 120_000;

/**
 * Large dictionaries in a thread of their own, behind everything else that the process does: their reading, their indexes and
 * the searches. One request after the other; those who ask have their turns one after the other, however much one of them
 * asks.
 */
export class DictionaryThread {
  private worker: Worker | null = null;
  /** By who asks; whose turn it is stands first. */
  private readonly queues = new Map<string, Waiting[]>();
  private current: Waiting | null = null;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly memoryMib = MEMORY_MIB) {}

  /**
   * Throws VALIDATION for a file with wrong lines, TOO_LARGE when the dictionary takes more memory than the thread may have,
   * INTERNAL when the thread dies; the next request starts another.
   */
  ask<Kind extends DictionaryRequest['kind']>(
    owner: string,
    request: Of<Kind>,
    transfer: Transferable[] = [],
  ): Promise<DictionaryAnswers[Kind]> {
    return new Promise<unknown>((resolve, reject) => {
      const queue = this.queues.get(owner) ?? [];
      queue.push({ request, transfer, resolve, reject });
      this.queues.set(owner, queue);
      this.next();
    }) as Promise<DictionaryAnswers[Kind]>;
  }

  async close(): Promise<void> {
    const { worker } = this;
    this.worker = null;
    clearTimeout(this.idle);
    await worker?.terminate();
  }

  private next(): void {
    if (this.current !== null) return;
    const [first] = this.queues;
    if (first === undefined) return this.rest();
    const [owner, queue] = first;
    const current = queue.shift() ?? null;
    this.current = current;
    if (current === null) return;
    this.queues.delete(owner);
    if (queue.length > 0) this.queues.set(owner, queue);
    clearTimeout(this.idle);
    this.worker ??= this.start();
    this.worker.ref();
    this.worker.postMessage(current.request, current.transfer);
  }

  /** Nobody's end waits for it. */
  private rest(): void {
    const { worker } = this;
    if (worker === null) return;
    worker.unref();
    this.idle = setTimeout(() => {
      this.worker = null;
      void worker.terminate();
    }, KEPT_MS).unref();
  }

  private start(): Worker {
    const worker = startThread('dictionary-worker', import.meta.url, {
      resourceLimits: { maxOldGenerationSizeMb: this.memoryMib },
    });
    worker.on('message', (reply: DictionaryReply) => {
      const { current } = this;
      this.current = null;
      if (current !== null) settle(current, reply);
      this.next();
    });
    worker.once('error', (error: NodeJS.ErrnoException) => this.lose(worker, error));
    worker.once('exit', () => this.lose(worker, new Error('it ended without an answer')));
    return worker;
  }

  private lose(worker: Worker, cause: NodeJS.ErrnoException): void {
    if (this.worker !== worker) return;
    this.worker = null;
    const { current } = this;
    this.current = null;
    current?.reject(
      cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new AditError('TOO_LARGE', 'The dictionary takes more memory than there is for dictionaries.', { cause })
        : new AditError('INTERNAL', 'The thread of dictionaries ended without an answer.', { cause }),
    );
    this.next();
  }
}

function settle({ resolve, reject }: Waiting, reply: DictionaryReply): void {
  if ('answer' in reply) resolve(reply.answer);
  else if ('wrong' in reply) reject(refusalOf(reply.wrong));
  else reject(new AditError('INTERNAL', `A dictionary could not be read: ${reply.failure}`));
}

/** The one of this process. */
export const dictionaryThread = new DictionaryThread();
