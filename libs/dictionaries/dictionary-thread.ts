import { AditError, type DictionaryType } from '@adit/contracts';
import { FairQueue, startThread, ThreadClient } from '@adit/runtime';
import type { DictionaryEntry } from './dictionary.js';
import type { CheckedFile, DictionaryReply, DictionaryRequest, ThreadData } from './dictionary-requests.js';
import { refusalOf } from './read-file.js';

type FindRequest = Extract<DictionaryRequest, { kind: 'find' }>;
type Reply<Name extends string> = Extract<DictionaryReply, Record<Name, unknown>>;

/** Heap limit of the thread; a dictionary of half a million entries and its fuzzy index take half of it. */
const MEMORY_MIB = 1024;
/** So long after the last request the thread ends, and the memory of its dictionaries with it. */
const IDLE_MS = 120_000;

/**
 * Large dictionaries in a thread of their own, behind everything else that the process does: their reading, their indexes and
 * the searches. One request after the other, round robin among those who ask. A dictionary that is not kept is read within the
 * same time slice, so that others cannot take its memory again before.
 */
export class DictionaryThread {
  private readonly queue = new FairQueue();
  private readonly thread: ThreadClient<DictionaryRequest, DictionaryReply>;
  /** True once the thread has answered: it may then hold dictionaries of others. */
  private isUsed = false;

  /** `keptMib`: of dictionaries and indexes that nobody uses at the moment. */
  constructor(memoryMib = MEMORY_MIB, keptMib = memoryMib / 4) {
    this.thread = new ThreadClient({
      start: () =>
        startThread('dictionary-worker', import.meta.url, {
          resourceLimits: { maxOldGenerationSizeMb: memoryMib },
          workerData: { maxKept: keptMib * 1024 ** 2 } satisfies ThreadData,
        }),
      died: (cause) =>
        isOutOfMemory(cause)
          ? new AditError('TOO_LARGE', 'The dictionary takes more memory than there is for dictionaries.', { cause })
          : new AditError('INTERNAL', 'The thread of dictionaries ended without an answer.', { cause }),
      failed: (message) => {
        this.isUsed = true;
        return new AditError('INTERNAL', `A dictionary could not be read: ${message}`);
      },
      ended: () => (this.isUsed = false),
      idleMs: IDLE_MS,
    });
  }

  /**
   * Throws VALIDATION for a file with wrong lines, TOO_LARGE when the dictionary alone exceeds the thread's memory,
   * INTERNAL when the thread dies; the next request starts another.
   */
  check(owner: string, bytes: Buffer, type: DictionaryType): Promise<CheckedFile> {
    return this.run(owner, async () => {
      const { checked } = await this.ask<Reply<'checked'>>({ kind: 'check', bytes, type });
      return checked;
    });
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
    return this.run(owner, async (signal) => {
      let { found } = await this.ask<Reply<'found'>>({ kind: 'find', ...request });
      if (found === null) {
        const bytes = await read().catch((error: unknown) => {
          throw AditError.from(error);
        });
        signal.throwIfAborted();
        ({ found } = await this.ask<Reply<'found'>>({ kind: 'find', ...request, bytes }));
      }
      if (found === null) throw new AditError('INTERNAL', 'The thread of dictionaries takes no file.');
      return found;
    });
  }

  /** Rejects waiting requests and ends the thread. */
  async close(): Promise<void> {
    this.queue.refuse(new AditError('UNAVAILABLE', 'The process ends.'));
    await this.thread.close();
  }

  private run<T>(owner: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.queue.run(owner, async (signal) => {
      const { isUsed } = this;
      try {
        return await work(signal);
      } catch (error) {
        signal.throwIfAborted();
        // Dictionaries of others may have taken the memory: it is tried once more, alone.
        if (isUsed && error instanceof AditError && isOutOfMemory(error.cause)) return await work(signal);
        throw error;
      }
    });
  }

  private async ask<Answer extends DictionaryReply>(request: DictionaryRequest): Promise<Answer> {
    const reply = await this.thread.request<Answer | Reply<'wrong'>>(request);
    if (!('found' in reply && reply.found === null)) this.isUsed = true;
    if ('wrong' in reply) throw refusalOf(reply.wrong);
    return reply;
  }
}

function isOutOfMemory(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

/** Instance of this process. */
export const dictionaryThread = new DictionaryThread();
