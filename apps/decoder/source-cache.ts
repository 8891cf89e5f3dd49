import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AditError, nullIfNoFile } from '@adit/contracts';
import { JobEntity } from '@adit/database';
import { openStorageKey } from '@adit/storage';
import { accessOfBucket } from '@adit/storage-credentials';
import { fetchSource, liveProtocol, type FetchedSource, type FetchOptions } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { addressOfSource } from '@adit/streams';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DECODER_CONFIG, WORK_DIRECTORY, type DecoderConfig } from './config.js';

const log = createLogger('source-cache');
/** Client media is removed from a decoder's disk soon after its last use. */
const IDLE_MILLISECONDS = 5 * 60_000;

interface Entry {
  fetched: Promise<FetchedSource>;
  /** Aborts the fetch when nobody waits any more. */
  abandon: AbortController;
  directory: string;
  /** Bytes on disk; null until complete. */
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
 * Sources fetched to local disk, each in a private folder, shared by the chunks of a job and limited in bytes. After a
 * restart or on another machine a source is fetched again. Remains of dead processes were removed when the folder was
 * claimed, since later there is work in it.
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
   * Lends the source's file to `work`; it is not evicted meanwhile. An aborted caller leaves the fetch to other waiting
   * ones; the last one stops it. A file that fails in `work` is fetched anew for the next caller: it may be broken, or
   * corrected at its origin since. Throws fetch errors, each time anew.
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
      // Derived files lie beside it.
      if (entry.size !== null) entry.size = Math.max(entry.size, await bytesIn(entry.directory));
      entry.users--;
      entry.lastUsed = Date.now();
      if (entry.users === 0 && entry.isForgotten) await this.removeFiles(entry);
      void this.evict();
    }
  }

  private begin(source: SourceOfJob): Entry {
    const abandon = new AbortController();
    // Never a used name, since its removal may still be in progress.
    const directory = join(this.directory, `${source.jobId}-${source.index}-${this.begun++}`);
    const { maxSourceBytes, fetchTimeoutSeconds, fetchIdleSeconds } = this.config;
    const fetched = this.fetch(source, {
      ...this.config,
      directory,
      openStorage: (key) => openStorageKey(this.db.manager, this.objects, source.workspaceId, key),
      accessBucket: (bucket) =>
        accessOfBucket(this.db.manager, { workspaceId: source.workspaceId, bucket }, this.config.encryptionKey),
      maxBytes: maxSourceBytes,
      timeoutSeconds: fetchTimeoutSeconds,
      idleTimeoutSeconds: fetchIdleSeconds,
      signal: abandon.signal,
    });
    // All callers may have given up by its end.
    fetched.catch(() => undefined);
    return { fetched, abandon, directory, size: null, users: 0, isForgotten: false, lastUsed: Date.now() };
  }

  /** Fetches a source by its whole address: that of a live one is shown without what it hides. */
  private async fetch(source: SourceOfJob, options: FetchOptions): Promise<FetchedSource> {
    const isLive = liveProtocol(source.uri) !== null;
    const address = isLive ? await addressOfSource(this.db.manager, source, this.config) : null;
    return fetchSource(address ?? source.uri, { ...options, program: await this.programOf(source) });
  }

  /** Programme that the job asks for; undefined: the whole file. */
  private async programOf({ jobId: id }: SourceOfJob): Promise<number | undefined> {
    const job = await this.db.manager.findOne(JobEntity, { where: { id }, select: { program: true } });
    return job?.program ?? undefined;
  }

  private async evict(): Promise<void> {
    let bytes = [...this.entries.values()].reduce((sum, entry) => sum + (entry.size ?? 0), 0);
    const idle = [...this.entries].filter(([, entry]) => entry.users === 0 && entry.size !== null);
    idle.sort(([, a], [, b]) => a.lastUsed - b.lastUsed);
    for (const [key, entry] of idle) {
      // Removing the previous one took a while.
      if (entry.users > 0 || this.entries.get(key) !== entry) continue;
      const old = Date.now() - entry.lastUsed > IDLE_MILLISECONDS;
      if (!old && bytes <= this.config.sourceCacheBytes) continue;
      bytes -= entry.size ?? 0;
      await this.remove(key, entry);
    }
  }

  /** Hides it from new callers; its files stay for current ones. */
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
