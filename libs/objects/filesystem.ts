import { constants, type Stats } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, writeFile, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { AditError, errorCode, nullIfNoFile } from '@adit/contracts';
import { resolveRange } from './byte-range.js';
import { folderOfPrefix, pathOfKey, refuseLinks, segmentOfFolder } from './filesystem-paths.js';
import { fileStream } from './file-stream.js';
import { named } from './filesystem-faults.js';
import { openIncoming, sweepIncoming } from './incoming.js';
import { checkKey, checkPrefix } from './key.js';
import type { ByteRange, ObjectInfo, ObjectStore, PutOptions } from './port.js';
import { StoreFullness } from './store-fullness.js';

/** Number of times that an empty folder may vanish under a put, because its last object was deleted at that moment. */
const PLACING_ATTEMPTS = 20;

export interface FilesystemOptions {
  /** fsync before an object becomes visible, so that it survives the loss of power. Default true. */
  durable?: boolean;
}

/**
 * Objects as files: `objects/` holds them, `incoming/` (the same file system) what is being written. An object is written
 * there whole, synced, and renamed into place. Several processes may share a root.
 */
export class FilesystemObjectStore implements ObjectStore {
  private readonly fullness = new StoreFullness();

  private constructor(
    private readonly objects: string,
    private readonly incoming: string,
    private readonly durable: boolean,
  ) {}

  /** Makes the folders and sweeps what killed processes left half written. Throws UNAVAILABLE when it may not write there. */
  static async open(root: string, options: FilesystemOptions = {}): Promise<FilesystemObjectStore> {
    return named(async () => {
      const objects = join(resolve(root), 'objects');
      const incoming = join(resolve(root), 'incoming');
      await mkdir(objects, { recursive: true });
      await sweepIncoming(incoming);
      return new FilesystemObjectStore(await realpath(objects), await realpath(incoming), options.durable ?? true);
    });
  }

  async put(key: string, body: Uint8Array | Readable, { durable = true }: PutOptions = {}): Promise<ObjectInfo> {
    let broken: unknown;
    if (body instanceof Readable) body.once('error', (error) => (broken = error));
    try {
      checkKey(key);
      return await this.fullness.taking(() =>
        named(
          () => this.write(key, body, durable),
          (error) => error === broken,
        ),
      );
    } catch (error) {
      if (body instanceof Readable) body.destroy();
      throw error;
    }
  }

  async get(key: string, range?: ByteRange): Promise<Readable> {
    const { file, size } = await this.openObject(key);
    try {
      const bytes = resolveRange(range, size);
      if (bytes !== null) return fileStream(file, bytes);
      await file.close();
      return Readable.from([]);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async read(key: string, range?: ByteRange): Promise<Buffer> {
    const { file, size } = await this.openObject(key);
    try {
      const bytes = resolveRange(range, size);
      if (bytes === null) return Buffer.alloc(0);
      return await named(() => readBytes(file, bytes.start, bytes.end - bytes.start + 1));
    } finally {
      await file.close();
    }
  }

  async stat(key: string): Promise<ObjectInfo | null> {
    checkKey(key);
    const path = pathOfKey(this.objects, key);
    const stats = await named(async () => {
      await refuseLinks(path);
      return lstat(path);
    }).catch(nullIfNoFile);
    return stats?.isFile() ? info(key, stats) : null;
  }

  async *list(prefix: string): AsyncIterable<ObjectInfo> {
    checkPrefix(prefix);
    const { folder, keys, beginning } = folderOfPrefix(this.objects, prefix);
    await named(() => refuseLinks(join(folder, 'any'))).catch(nullIfNoFile);
    yield* this.walk(folder, keys, beginning);
  }

  async delete(key: string): Promise<boolean> {
    checkKey(key);
    const path = pathOfKey(this.objects, key);
    await named(async () => {
      await refuseLinks(path);
      await rm(path);
    }).catch(nullIfNoFile);
    await this.prune(dirname(path));
    return true;
  }

  async deletePrefix(prefix: string): Promise<boolean> {
    checkPrefix(prefix);
    const { folder, beginning } = folderOfPrefix(this.objects, prefix);
    await named(async () => {
      await refuseLinks(join(folder, 'any'));
      for (const name of await readdir(folder)) {
        if (!name.startsWith(beginning)) continue;
        // A link itself is removed, never what it leads to.
        await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 });
      }
    }).catch(nullIfNoFile);
    await this.prune(folder);
    return true;
  }

  /** Writes and removes a small file. */
  async ping(): Promise<void> {
    this.fullness.check();
    await named(async () => {
      const { path, file } = await openIncoming(this.incoming);
      try {
        await file.write('ping');
      } finally {
        await file.close();
        await rm(path, { force: true });
      }
    });
  }

  private async write(key: string, body: Uint8Array | Readable, durable: boolean): Promise<ObjectInfo> {
    const { path, file } = await openIncoming(this.incoming);
    try {
      let stats: Stats;
      try {
        // Chunk after chunk: the stream is asked for the next one when the last is written.
        await writeFile(file, body);
        if (this.durable) await file.sync();
        stats = await file.stat();
      } finally {
        await file.close();
      }
      await this.place(path, pathOfKey(this.objects, key), this.durable && durable);
      return info(key, stats);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  private async place(from: string, to: string, durable: boolean): Promise<void> {
    const folder = dirname(to);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const made = await mkdir(folder, { recursive: true });
        await refuseLinks(to);
        await rename(from, to);
        if (durable) await syncFolders(folder, made);
        return;
      } catch (error) {
        // Somebody deleted the folder's last object, and with it the folder, since we made sure that it is there.
        if (errorCode(error) !== 'ENOENT' || attempt === PLACING_ATTEMPTS) throw error;
      }
    }
  }

  private async openObject(key: string): Promise<{ file: FileHandle; size: number }> {
    checkKey(key);
    const path = pathOfKey(this.objects, key);
    const file = await named(async () => {
      await refuseLinks(path);
      return open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    }).catch(nullIfNoFile);
    if (file === null) throw new AditError('NOT_FOUND', `There is no object ${key}.`);
    try {
      const { size } = await named(() => file.stat());
      return { file, size };
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Depth first, with the names of one folder on each level in memory. */
  private async *walk(folder: string, keys: string, beginning: string): AsyncIterable<ObjectInfo> {
    const entries = (await named(() => readdir(folder, { withFileTypes: true })).catch(nullIfNoFile)) ?? [];
    const children = entries
      .map((entry) => ({
        name: entry.name,
        segment: entry.isDirectory() ? segmentOfFolder(entry.name) : entry.name,
        entry,
      }))
      .filter((child): child is typeof child & { segment: string } => child.segment?.startsWith(beginning) ?? false)
      // A folder stands for keys that go on with "/": compared so, the walk gives them in the order of whole keys.
      .sort((a, b) => (a.segment < b.segment ? -1 : 1));
    for (const { name, segment, entry } of children) {
      const path = join(folder, name);
      if (entry.isDirectory()) yield* this.walk(path, keys + segment, '');
      else if (entry.isFile()) {
        const stats = await named(() => lstat(path)).catch(nullIfNoFile);
        if (stats !== null) yield info(keys + segment, stats);
      }
    }
  }

  /** Removes the folders that a deletion left empty. */
  private async prune(folder: string): Promise<void> {
    for (let empty = folder; empty.length > this.objects.length; empty = dirname(empty)) {
      const removed = await rmdir(empty).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      );
      if (!removed) return;
    }
  }
}

function info(key: string, stats: Stats): ObjectInfo {
  return { key, size: stats.size, modified: stats.mtime };
}

async function readBytes(file: FileHandle, start: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(bytes, done, length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return bytes.subarray(0, done);
}

/** A rename is on disk when its folder is; a new folder when the one it lies in is. */
async function syncFolders(folder: string, firstMade: string | undefined): Promise<void> {
  const last = firstMade === undefined ? folder : dirname(firstMade);
  for (let current = folder; ; current = dirname(current)) {
    const handle = await open(current, constants.O_RDONLY);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (current === last) return;
  }
}
