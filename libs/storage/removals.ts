import { StorageEntryEntity, StoragePartEntity, StorageRemovalEntity } from '@adit/database';
import { noteRemovals } from '@adit/object-removals';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { storageObjectKey } from './keys.js';

const log = createLogger('storage');
/** Rows named in one statement. */
const BATCH = 1000;
/** Files removed from the object store at the same time. */
const CONCURRENCY = 8;
const LOCKED_SECONDS = 3600;

/** SQL: notes the objects whose keys `select` finds, as part of a statement that deletes what they belong to. */
export function notedObjects(select: string): string {
  return `INSERT INTO storage_removals (object_key) ${select} ON CONFLICT DO NOTHING`;
}

/**
 * SQL: the parts `files` and `noted` of a WITH, which delete the entries `e` of whole files and note their bytes. `rest` says
 * which, from the `USING` or the `WHERE` on.
 */
export function erasedFiles(rest: string): string {
  return `files AS (DELETE FROM storage_entries e ${rest} RETURNING e.workspace_id, e.key),
    noted AS (${notedObjects(`SELECT concat('storage/', workspace_id, '/', key) FROM files`)})`;
}

/**
 * Entries go with their transaction, their bytes after it: what has to be removed is noted in the same transaction, so that
 * neither a crash nor an object store that is away leaves a deleted file behind.
 */
@Injectable()
export class FileRemovals {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /** Removes the rows of entries; call `drain` after the commit. */
  async note(manager: EntityManager, entries: readonly StorageEntryEntity[]): Promise<void> {
    for (let at = 0; at < entries.length; at += BATCH) {
      const batch = entries.slice(at, at + BATCH);
      const ids = batch.map(({ id }) => id);
      await this.noteBytes(manager, batch);
      await manager.delete(StorageEntryEntity, { id: In(ids) });
    }
  }

  /** Removes the bytes of at most 1000 entries, whose rows stay. */
  async noteBytes(manager: EntityManager, entries: readonly StorageEntryEntity[]): Promise<void> {
    const keys = entries.flatMap(({ workspaceId, key }) => (key === null ? [] : [storageObjectKey(workspaceId, key)]));
    await this.noteObjects(manager, keys);
    const inParts = entries.filter(({ uploadLength }) => uploadLength !== null).map(({ id }) => id);
    if (inParts.length > 0) await manager.delete(StoragePartEntity, { entryId: In(inParts) });
  }

  /** Notes objects by their keys; what begins with a key and a slash goes too. */
  async noteObjects(manager: EntityManager, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    const objects = keys.map((objectKey) => ({ objectKey }));
    await manager.createQueryBuilder().insert().into(StorageRemovalEntity).values(objects).orIgnore().execute();
  }

  /** Removes what was noted from the object store. What cannot be removed now is tried again by the next call. */
  async drain(): Promise<void> {
    try {
      for (;;) {
        const noted = await this.db.manager.find(StorageRemovalEntity, { take: BATCH });
        if (noted.length === 0) return;
        const queue = noted.values();
        await Promise.all(Array.from({ length: CONCURRENCY }, () => this.removeAll(queue)));
      }
    } catch (error) {
      log.warn({ err: error }, 'deleted files are still in the object store; the next run tries again');
    }
  }

  private async removeAll(queue: Iterable<StorageRemovalEntity>): Promise<void> {
    for (const { objectKey } of queue) {
      const folder = `${objectKey}/`;
      const gone = [await this.objects.delete(objectKey), await this.objects.deletePrefix(folder)];
      // Locked objects (WORM) are removed when their lock ends, and delay nothing until then.
      if (gone.includes(false)) await noteRemovals(this.db.manager, [objectKey, folder], { inSeconds: LOCKED_SECONDS });
      await this.db.manager.delete(StorageRemovalEntity, { objectKey });
    }
  }
}
