import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AditError, errorCode, nullIfNoFile } from '@adit/contracts';
import type { StoredModelFile } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { checkSha256, sha256OfFile, Sha256Stream } from '@adit/runtime';

interface CacheOptions {
  /** Absolute; processes of one machine may share it. */
  folder: string;
  /** Limit of the bytes of all versions; exceeded only while every other one is in use. */
  maxBytes: number;
  /** Milliseconds after which a dead process's use of a version expires. */
  staleMs?: number;
}

interface Fetched {
  digest: string;
  files: readonly StoredModelFile[];
  /** Key prefix of its files. */
  objectPrefix: string;
}

/** Folder beside the files of a version with a file per process that uses it. */
const HOLDERS = '.held';
/** Prefix of folders that are being fetched or removed. */
const PASSING = '.passing-';
/** Milliseconds after which remains of a dead process are removed. */
const LEFT_MS = 6 * 3_600_000;

/**
 * Versions of models in a folder of this machine, fetched on demand, complete and with the expected hash or not at all.
 * The least recently used goes when space is needed; one in use by any process stays.
 */
export class ModelCache {
  private readonly me = randomUUID();
  private readonly folder: string;
  private readonly staleMs: number;
  /** Users in this process. */
  private readonly users = new Map<string, number>();
  /** Verified versions of this process: a version is hashed once. */
  private readonly ready = new Map<string, Promise<void>>();
  private readonly alive: NodeJS.Timeout;
  /** Serialises the freeing of space. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly objects: ObjectStore,
    private readonly options: CacheOptions,
  ) {
    this.folder = options.folder;
    this.staleMs = options.staleMs ?? 300_000;
    this.alive = setInterval(() => void this.sayAlive(), this.staleMs / 5).unref();
  }

  /** Path of a version's files while it is held. */
  pathOf(digest: string): string {
    return join(this.folder, digest);
  }

  /**
   * Fetches a version and keeps it until the returned function is called. Throws MODEL_NOT_INSTALLED when its files are
   * gone from the store, INTERNAL when they have changed, UNAVAILABLE when the store cannot be read.
   */
  async hold(version: Fetched): Promise<() => void> {
    const { digest } = version;
    this.users.set(digest, (this.users.get(digest) ?? 0) + 1);
    let released = false;
    const release = (): void => {
      if (released) return;
      released = true;
      const left = (this.users.get(digest) ?? 1) - 1;
      if (left > 0) this.users.set(digest, left);
      else this.users.delete(digest);
      if (left <= 0) void this.letGo(digest);
    };
    try {
      let ready = this.ready.get(digest);
      if (ready === undefined) {
        ready = this.bring(version);
        this.ready.set(digest, ready);
        ready.catch(() => this.ready.delete(digest));
      }
      await ready;
      const now = new Date();
      await utimes(this.pathOf(digest), now, now);
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Returns the bytes of all versions. */
  async size(): Promise<number> {
    return (await this.entries()).reduce((sum, { size }) => sum + size, 0);
  }

  async close(): Promise<void> {
    clearInterval(this.alive);
    await this.turn;
    await Promise.all(
      [...this.ready.keys()].map((digest) => rm(join(this.pathOf(digest), HOLDERS, this.me), { force: true })),
    );
  }

  private async bring(version: Fetched): Promise<void> {
    const { digest, files } = version;
    const folder = this.pathOf(digest);
    await mkdir(this.folder, { recursive: true });
    // Marked first: another process that is removing it now keeps it, or has moved it away completely.
    if ((await this.mark(digest)) && (await isWhole(folder, files))) return;
    await rm(folder, { recursive: true, force: true });
    await this.makeSpace(files.reduce((sum, { size }) => sum + size, 0));
    const draft = join(this.folder, `${PASSING}${randomUUID()}`);
    try {
      await mkdir(join(draft, HOLDERS), { recursive: true });
      await writeFile(join(draft, HOLDERS, this.me), '');
      for (const file of files) await this.fetch(version, file, join(draft, file.name));
      await rename(draft, folder).catch(async (error: unknown) => {
        // Another process has fetched it meanwhile.
        if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
        if (!(await this.mark(digest))) throw error;
      });
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
  }

  private async fetch({ objectPrefix }: Fetched, { name, sha256 }: StoredModelFile, path: string): Promise<void> {
    let source;
    try {
      source = await this.objects.get(`${objectPrefix}${name}`);
    } catch (error) {
      if (AditError.from(error).code !== 'NOT_FOUND') throw error;
      throw new AditError('MODEL_NOT_INSTALLED', `The file ${name} of a stored model has gone from the object store.`);
    }
    const digested = new Sha256Stream();
    await pipeline(source, digested, createWriteStream(path, { flags: 'wx' }));
    checkSha256({
      name: `${objectPrefix}${name} in the object store`,
      found: digested.digest(),
      expected: sha256,
      code: 'INTERNAL',
      hint: 'It is not the file that was stored.',
    });
  }

  /** Marks a version as used by this process; false when it is not here. */
  private async mark(digest: string): Promise<boolean> {
    try {
      const folder = join(this.pathOf(digest), HOLDERS);
      await stat(folder);
      await writeFile(join(folder, this.me), '');
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  private async letGo(digest: string): Promise<void> {
    await this.inQueue(async () => {
      if (this.users.has(digest)) return;
      this.ready.delete(digest);
      await rm(join(this.pathOf(digest), HOLDERS, this.me), { force: true });
      // Used again meanwhile.
      if (this.users.has(digest)) await this.mark(digest);
      await this.shrink(0);
    }).catch(() => undefined);
  }

  /** Evicts versions until this many bytes fit. */
  private makeSpace(bytes: number): Promise<void> {
    return this.inQueue(() => this.shrink(bytes));
  }

  private inQueue(work: () => Promise<void>): Promise<void> {
    const mine = this.turn.then(work);
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async shrink(bytes: number): Promise<void> {
    const entries = (await this.entries()).sort((a, b) => a.usedAt - b.usedAt);
    let total = entries.reduce((sum, { size }) => sum + size, bytes);
    for (const { digest, size } of entries) {
      if (total <= this.options.maxBytes) return;
      if (await this.remove(digest)) total -= size;
    }
  }

  /** Returns false for one in use. */
  private async remove(digest: string): Promise<boolean> {
    const folder = this.pathOf(digest);
    if (this.users.has(digest) || (await this.isHeld(folder))) return false;
    const leaving = join(this.folder, `${PASSING}${randomUUID()}`);
    try {
      await rename(folder, leaving);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return true;
      throw error;
    }
    // Another process may have marked it in between.
    if (
      (await this.isHeld(leaving)) &&
      (await rename(leaving, folder).then(
        () => true,
        () => false,
      ))
    )
      return false;
    await rm(leaving, { recursive: true, force: true });
    return true;
  }

  private async isHeld(folder: string): Promise<boolean> {
    const holders = (await readdir(join(folder, HOLDERS)).catch(nullIfNoFile)) ?? [];
    for (const holder of holders) {
      const since = await stat(join(folder, HOLDERS, holder)).catch(nullIfNoFile);
      if (since !== null && Date.now() - since.mtimeMs < this.staleMs) return true;
    }
    return false;
  }

  private async sayAlive(): Promise<void> {
    for (const digest of this.users.keys()) await this.mark(digest).catch(() => undefined);
  }

  private async entries(): Promise<{ digest: string; size: number; usedAt: number }[]> {
    const entries: { digest: string; size: number; usedAt: number }[] = [];
    for (const name of (await readdir(this.folder).catch(nullIfNoFile)) ?? []) {
      const folder = join(this.folder, name);
      const found = await stat(folder).catch(nullIfNoFile);
      if (found === null) continue;
      const usedAt = found.mtimeMs;
      if (name.startsWith(PASSING)) {
        if (Date.now() - usedAt > LEFT_MS) await rm(folder, { recursive: true, force: true });
        continue;
      }
      let size = 0;
      for (const file of (await readdir(folder).catch(nullIfNoFile)) ?? []) {
        if (file !== HOLDERS) size += (await stat(join(folder, file)).catch(nullIfNoFile))?.size ?? 0;
      }
      entries.push({ digest: name, size, usedAt });
    }
    return entries;
  }
}

async function isWhole(folder: string, files: readonly StoredModelFile[]): Promise<boolean> {
  for (const { name, size, sha256 } of files) {
    const path = join(folder, name);
    const found = await stat(path).catch(nullIfNoFile);
    if (found?.size !== size) return false;
    if ((await sha256OfFile(path)) !== sha256) return false;
  }
  return true;
}
