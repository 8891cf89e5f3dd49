import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError, nullIfNoFile } from '@adit/contracts';
import { openStorageKey } from '@adit/storage';
import { fetchSource, type FetchedSource } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DECODER_CONFIG, WORK_DIRECTORY, type DecoderConfig } from './config.js';

const log = createLogger('source-cache');
/** Client media does not stay on a decoder's disk for long after its last use. */
const IDLE_MILLISECONDS = 5 * 60_000;

interface Entry {
  fetched: Promise<FetchedSource>;
  /** Ends the fetch: nobody waits for it any more. */
  abandon: AbortController;
  directory: string;
  /** Bytes on disk; null until all of it is there. */
  size: number | null;
  users: number;
  isForgotten: boolean;
  lastUsed: number;
}

export interface SourceOfJob {
  jobId: string;
  workspaceId: string;
  index: number;
  uri: string;
}

/**
 * Sources fetched to local disk, each into a private folder of its own, shared by the chunks of a job and bounded in
 * bytes. After a restart or on another machine a source is simply fetched again. The folder of all of them was emptied of
 * what a dead process left when it was claimed: later, work would be under way in it.
 */
@Injectable()
export class SourceCache implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly entries = new Map<string, Entry>();
  private timer: NodeJS.Timeout | undefined;
  private begun = 0;

  constructor(
    @Inject(WORK_DIRECTORY) private readonly directory: string,
    @Inject(DECODER_CONFIG) private readonly config: DecoderConfig,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(DataSource) private readonly db: DataSource,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.evict(), 30_000);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await rm(this.directory, { recursive: true, force: true });
  }

  /**
   * Lends the source's file to `work`; it is not evicted meanwhile. One who gives up leaves the fetch to the others who wait
   * for it, and ends it when nobody does. A file that `work` fails with is fetched anew by whoever asks next: it may be broken,
   * or mended at its origin since. Throws what fetching throws, each time anew.
   */
  async use<T>(source: SourceOfJob, work: (file: FetchedSource) => Promise<T>, signal: AbortSignal): Promise<T> {
    const key = `${source.jobId}/${source.index}`;
    let entry = this.entries.get(key);
    if (entry === undefined) {
      entry = this.begin(source);
      this.entries.set(key, entry);
    }
    entry.users++;
    try {
      const file = await unlessAborted(entry.fetched, signal);
      entry.size ??= file.size;
      return await work(file);
    } catch (error) {
      const isLast = entry.users === 1 || !signal.aborted;
      if (entry.size === null && isLast && this.entries.get(key) === entry) {
        entry.abandon.abort(signal.reason);
        await this.remove(key, entry);
      }
      if (entry.size !== null && !signal.aborted && AditError.from(error).code !== 'UNAVAILABLE')
        this.forget(key, entry);
      throw error;
    } finally {
      // What was made of it lies beside it.
      if (entry.size !== null) entry.size = Math.max(entry.size, await bytesIn(entry.directory));
      entry.users--;
      entry.lastUsed = Date.now();
      if (entry.users === 0 && entry.isForgotten) await this.removeFiles(entry);
      void this.evict();
    }
  }

  private begin(source: SourceOfJob): Entry {
    const abandon = new AbortController();
    // Never one that was used before: its removal may still be under way.
    const directory = join(this.directory, `${source.jobId}-${source.index}-${this.begun++}`);
    const { localRoots, allowHttp, allowPrivateAddresses, maxSourceBytes, fetchTimeoutSeconds, fetchIdleSeconds } =
      this.config;
    const fetched = fetchSource(source.uri, {
      directory,
      openStorage: (key) => openStorageKey(this.db.manager, this.objects, source.workspaceId, key),
      localRoots,
      allowHttp,
      allowPrivateAddresses,
      maxBytes: maxSourceBytes,
      timeoutSeconds: fetchTimeoutSeconds,
      idleTimeoutSeconds: fetchIdleSeconds,
      signal: abandon.signal,
    });
    // All who waited may have given up by the time it ends.
    fetched.catch(() => undefined);
    return { fetched, abandon, directory, size: null, users: 0, isForgotten: false, lastUsed: Date.now() };
  }

  private async evict(): Promise<void> {
    let bytes = [...this.entries.values()].reduce((sum, entry) => sum + (entry.size ?? 0), 0);
    const idle = [...this.entries].filter(([, entry]) => entry.users === 0 && entry.size !== null);
    idle.sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    for (const [key, entry] of idle) {
      // Removing the one before took a while.
      if (entry.users > 0 || this.entries.get(key) !== entry) continue;
      const old = Date.now() - entry.lastUsed > IDLE_MILLISECONDS;
      if (!old && bytes <= this.config.sourceCacheBytes) continue;
      bytes -= entry.size ?? 0;
      await this.remove(key, entry);
    }
  }

  /** Nobody gets it any more; its files stay for those who have it. */
  private forget(key: string, entry: Entry): void {
    entry.isForgotten = true;
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }

  private async remove(key: string, entry: Entry): Promise<void> {
    this.entries.delete(key);
    await this.removeFiles(entry);
  }

  private async removeFiles(entry: Entry): Promise<void> {
    await rm(entry.directory, { recursive: true, force: true }).catch((error: unknown) =>
      log.warn({ err: error }, 'a fetched source could not be removed'),
    );
  }
}

async function bytesIn(directory: string): Promise<number> {
  const names = (await readdir(directory).catch(nullIfNoFile)) ?? [];
  const sizes = names.map((name) =>
    stat(join(directory, name)).then(
      ({ size }) => size,
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Throws the signal's reason as soon as it aborts. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let follow = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    follow = () => reject(signal.reason);
    signal.addEventListener('abort', follow, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', follow);
  }
}
