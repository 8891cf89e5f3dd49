import { randomUUID } from 'node:crypto';
import { parse } from 'node:path';
import { AditError, zip } from '@adit/contracts';
import { inTransaction, StorageEntryEntity } from '@adit/database';
import {
  keepUndue,
  noteRemovals,
  removeObjects,
  settleRemovals,
  stillNoted,
  type Removal,
} from '@adit/object-removals';
import type { ObjectStore } from '@adit/objects';
import { sha256Of } from '@adit/runtime';
import { insertFiles, leftOf, makeFolders, storageFull, storageObjectKey, storageQuota } from '@adit/storage';
import { In, type DataSource, type EntityManager } from 'typeorm';
import type { ClassPlace, NewImage } from '../images.js';
import type { FaultyItem, NewPicture, ReadyItem } from './batch.js';

/** Pictures that are stored concurrently. */
const STORE_CONCURRENCY = 4;
/** Seconds after which the files of an unfinished batch are removed: much longer than a batch takes. */
const ABANDONED_SECONDS = 3_600;

interface Places {
  db: DataSource;
  objects: ObjectStore;
  storageBytes: number;
}

/** Files of the images that an import creates. */
export class ImportedFiles {
  constructor(
    private readonly row: { workspaceId: string },
    private readonly places: Places,
  ) {}

  /**
   * Stores the pictures of a batch, before the transaction that records them. Their removal is scheduled first, so that
   * nothing stays of a batch whose process dies.
   */
  async store(items: readonly ReadyItem[]): Promise<Removal[]> {
    const pictures = items.flatMap(({ file }) => ('bytes' in file ? [file] : []));
    if (pictures.length === 0) return [];
    const keys = pictures.map(({ key }) => storageObjectKey(this.row.workspaceId, key));
    const noted = await inTransaction(this.places.db, (manager) =>
      noteRemovals(manager, keys, { inSeconds: ABANDONED_SECONDS }),
    );
    const queue = zip(keys, pictures);
    const put = async (): Promise<void> => {
      for (const [key, { bytes }] of queue) await this.places.objects.put(key, bytes);
    };
    await Promise.all(Array.from({ length: STORE_CONCURRENCY }, put));
    return noted;
  }

  /**
   * Cancels the removal within the transaction that records these pictures. Throws INTERNAL when they may already be
   * removed: the batch starts anew.
   */
  async kept(manager: EntityManager, stored: readonly Removal[], items: readonly ReadyItem[]): Promise<void> {
    const keys = new Set(
      items.flatMap(({ file }) => ('bytes' in file ? [storageObjectKey(this.row.workspaceId, file.key)] : [])),
    );
    if (keys.size === 0) return;
    const noted = stored.filter(({ prefix }) => keys.has(prefix));
    if ((await keepUndue(manager, noted)) < keys.size)
      throw new AditError('INTERNAL', 'A batch of an import took too long.');
  }

  /** Removes stored files that were not kept, now or later as scheduled. */
  async forget(stored: readonly Removal[]): Promise<void> {
    if (stored.length === 0) return;
    const { manager } = this.places.db;
    // Asked for, since a transaction may have been committed whose answer never came.
    const { gone } = await removeObjects(this.places.objects, await stillNoted(manager, stored));
    await settleRemovals(manager, gone);
  }

  /** Sorts out files of the storage that are gone, or no pictures. */
  async check(
    manager: EntityManager,
    items: readonly ReadyItem[],
  ): Promise<{ ready: ReadyItem[]; refused: FaultyItem[] }> {
    const keys = items.flatMap(({ file }) => ('storageKey' in file ? [file.storageKey] : []));
    const { workspaceId } = this.row;
    const entries = keys.length === 0 ? [] : await manager.findBy(StorageEntryEntity, { workspaceId, key: In(keys) });
    const byKey = new Map(entries.map((entry) => [entry.key, entry]));
    const ready: ReadyItem[] = [];
    const refused: FaultyItem[] = [];
    for (const item of items) {
      const message = 'storageKey' in item.file ? refusal(item.file.storageKey, byKey.get(item.file.storageKey)) : null;
      if (message === null) ready.push(item);
      else refused.push({ name: item.name, code: 'source_refused', message });
    }
    return { ready, refused };
  }

  /** Records the pictures of a class as files of the storage, in its folder. Throws STORAGE_FULL. */
  async place(manager: EntityManager, place: ClassPlace, items: readonly ReadyItem[]): Promise<NewImage[]> {
    const pictures = items.flatMap(({ file }) => ('bytes' in file ? [file] : []));
    if (pictures.length > 0) await this.makeFiles(manager, place, pictures);
    return items.map(({ image, file }) => ({
      ...{ id: randomUUID(), ...image },
      ...('bytes' in file
        ? { storageKey: file.key, ownsFile: true }
        : { storageKey: file.storageKey, ownsFile: false }),
    }));
  }

  private async makeFiles(
    manager: EntityManager,
    { workspaceId, datasetId, classId }: ClassPlace,
    pictures: readonly NewPicture[],
  ): Promise<void> {
    const folder = `/datasets/${datasetId}/${classId}`;
    const quota = await storageQuota(manager, workspaceId, 'uploads', this.places.storageBytes);
    const bytes = pictures.reduce((sum, picture) => sum + picture.bytes.length, 0);
    if (bytes > leftOf(quota)) throw storageFull(quota);
    await makeFolders(manager, workspaceId, folder);
    const names = pictures.map(({ filename }) => filename);
    const where = { workspaceId, folder, name: In(names), uploadFailed: false };
    const taken = new Set((await manager.findBy(StorageEntryEntity, where)).map(({ name }) => name));
    const rows = pictures.map(({ filename, key, bytes: content, contentType }) => {
      const name = taken.has(filename) ? otherName(filename, key) : filename;
      taken.add(name);
      return {
        ...{ workspaceId, folder, name, key, contentType },
        ...{ size: String(content.length), digest: sha256Of(content) },
      };
    });
    await insertFiles(manager, rows);
  }
}

/** Unique, since it contains a part of the key. */
function otherName(filename: string, key: string): string {
  const { name, ext } = parse(filename);
  return `${name.slice(0, 200)} (${key.slice(0, 10)})${ext.slice(0, 40)}`;
}

function refusal(key: string, entry: StorageEntryEntity | undefined): string | null {
  if (entry === undefined) return `storage://${key} does not exist.`;
  if (!entry.uploaded) return `storage://${key} has not been uploaded completely.`;
  return entry.contentType?.startsWith('image/') === true ? null : `${entry.name} is no picture.`;
}
