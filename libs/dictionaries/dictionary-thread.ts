import type { Worker } from 'node:worker_threads';
import { AditError, type DictionaryType } from '@adit/contracts';
import { startThread } from '@adit/runtime';
import type { DictionaryEntry } from './dictionary.js';
import type { CheckedFile, DictionaryReply, DictionaryRequest, ThreadData } from './dictionary-requests.js';
import { refusalOf } from './read-file.js';

type FindRequest = Extract<DictionaryRequest, { kind: 'find' }>;

interface Waiting {
  request: DictionaryRequest;
  /** Reads the file, when the thread does not have the dictionary cached. */
  read: (() => Promise<Buffer>) | null;
  resolve: (answer: unknown) => void;
  reject: (error: Error) => void;
}

/** Heap limit of the thread; a dictionary of half a million entries and its fuzzy index take half of it. */
const MEMORY_MIB = 1024;
/** Idle time after which the thread ends and frees its dictionaries. */
const KEPT_MS = 120_000;

/**
 * Large dictionaries in a worker thread of low priority: reading, indexing and searching. Requests run one after the
 * other, in a fair queue over callers. A time slice includes reading a dictionary that is not cached, so that others
 * cannot evict it before its use.
 */
export class DictionaryThread {
  private worker: Worker | null = null;
  /** True after the first answer: the thread may hold other dictionaries. */
  private isUsed = false;
  /** Queues by caller; the next one comes first. */
  private readonly queues = new Map<string, Waiting[]>();
  private current: Waiting | null = null;
  private idle: NodeJS.Timeout | undefined;

  /** `keptMib` limits idle dictionaries and indexes. */
  constructor(
    private readonly memoryMib = MEMORY_MIB,
    private readonly keptMib = memoryMib / 4,
  ) {}

  /**
   * Throws VALIDATION for a file with wrong lines, TOO_LARGE when the dictionary alone exceeds the thread's memory,
   * INTERNAL when the thread dies; the next request starts another.
   */
  check(owner: string, bytes: Buffer, type: DictionaryType): Promise<CheckedFile> {
    return this.ask(owner, { kind: 'check', bytes, type }, null) as Promise<CheckedFile>;
  }

  /**
   * Returns the best entries for the first of the texts: at least for one, and for as many as fit into a short time.
   * `read` is called when the file is not cached. Throws the errors of `read`, and as `check`.
   */
  find(
    owner: string,
    request: Omit<FindRequest, 'kind' | 'bytes'>,
    read: () => Promise<Buffer>,
  ): Promise<(DictionaryEntry | null)[]> {
    // Answer type of `find`.
    return this.ask(owner, { kind: 'find', ...request }, read) as Promise<(DictionaryEntry | null)[]>;
  }

  /** Rejects waiting requests and ends the thread. */
  async close(): Promise<void> {
    const { worker, current } = this;
    this.worker = null;
    this.current = null;
    clearTimeout(this.idle);
    const waiting = [...(current === null ? [] : [current]), ...[...this.queues.values()].flat()];
    this.queues.clear();
    for (const { reject } of waiting) reject(new AditError('UNAVAILABLE', 'The process ends.'));
    await worker?.terminate();
  }

  private ask(owner: string, request: DictionaryRequest, read: Waiting['read']): Promise<unknown> {
    return new Promise<unknown>((resolve, reject) => {
      const queue = this.queues.get(owner) ?? [];
      queue.push({ request, read, resolve, reject });
      this.queues.set(owner, queue);
      this.next();
    });
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
    this.post(current.request);
  }

  private post(request: DictionaryRequest): void {
    clearTimeout(this.idle);
    this.worker ??= this.start();
    this.worker.ref();
    this.worker.postMessage(request);
  }

  /** An idle thread does not keep the process alive. */
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
    this.isUsed = false;
    const worker = startThread('dictionary-worker', import.meta.url, {
      resourceLimits: { maxOldGenerationSizeMb: this.memoryMib },
      workerData: { mostKept: this.keptMib * 1024 ** 2 } satisfies ThreadData,
    });
    worker.on('message', (reply: DictionaryReply) => this.answered(reply));
    worker.once('error', (error: NodeJS.ErrnoException) => this.lose(worker, error));
    worker.once('exit', () => this.lose(worker, new Error('it ended without an answer')));
    return worker;
  }

  private answered(reply: DictionaryReply): void {
    const { current } = this;
    if (current === null) return;
    if (current.read !== null && 'answer' in reply && reply.answer === null) {
      void this.bring(current, current.read);
      return;
    }
    this.isUsed = true;
    this.end((waiting) => settle(waiting, reply));
  }

  /** Continues the time slice once the file has been read. */
  private async bring(current: Waiting, read: () => Promise<Buffer>): Promise<void> {
    let bytes: Buffer;
    try {
      bytes = await read();
    } catch (error) {
      if (this.current === current) this.end(({ reject }) => reject(AditError.from(error)));
      return;
    }
    // Only `find` requests read a file.
    if (this.current === current) this.post({ ...(current.request as FindRequest), bytes });
  }

  private end(tell: (waiting: Waiting) => void): void {
    const { current } = this;
    this.current = null;
    if (current !== null) tell(current);
    this.next();
  }

  private lose(worker: Worker, cause: NodeJS.ErrnoException): void {
    if (this.worker !== worker) return;
    this.worker = null;
    const isTooLarge = cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
    // Other dictionaries may have taken the memory, so it is retried alone.
    if (isTooLarge && this.isUsed && this.current !== null) {
      // A new object marks a new time slice, which ignores files requested by the previous one.
      this.current = { ...this.current };
      return this.post(this.current.request);
    }
    const error = isTooLarge
      ? new AditError('TOO_LARGE', 'The dictionary takes more memory than there is for dictionaries.', { cause })
      : new AditError('INTERNAL', 'The thread of dictionaries ended without an answer.', { cause });
    this.end(({ reject }) => reject(error));
  }
}

function settle({ resolve, reject }: Waiting, reply: DictionaryReply): void {
  if ('answer' in reply) resolve(reply.answer);
  else if ('wrong' in reply) reject(refusalOf(reply.wrong));
  else reject(new AditError('INTERNAL', `A dictionary could not be read: ${reply.failure}`));
}

/** Instance of this process. */
export const dictionaryThread = new DictionaryThread();
