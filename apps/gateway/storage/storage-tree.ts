import { AditError, type StorageEntry } from '@adit/contracts';
import { inTransaction, StorageEntryEntity, WorkspaceEntity } from '@adit/database';
import { storageObjectKey } from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, type EntityManager } from 'typeorm';
import { parentOf, pathsTo } from './names.js';

const LARGEST_ID = 2 ** 31 - 1;

/** The folders and files of a workspace. */
@Injectable()
export class StorageTree {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /** Folders first, then files, by name. Throws NOT_FOUND for a folder that is not there. */
  async list(workspaceId: string, folder: string): Promise<StorageEntryEntity[]> {
    const isThere =
      folder === '/' ||
      (await this.db.manager.existsBy(StorageEntryEntity, { workspaceId, name: folder, isFolder: true }));
    if (!isThere) throw new AditError('NOT_FOUND', `There is no folder ${folder}.`);
    return this.db.manager.find(StorageEntryEntity, {
      where: { workspaceId, folder },
      order: { isFolder: 'DESC', name: 'ASC', id: 'ASC' },
    });
  }

  /** Throws NOT_FOUND, also for another workspace's entry. */
  async get(workspaceId: string, storageId: string): Promise<StorageEntryEntity> {
    const id = /^\d{1,10}$/.test(storageId) ? Number(storageId) : Infinity;
    const entry = id <= LARGEST_ID ? await this.db.manager.findOneBy(StorageEntryEntity, { id, workspaceId }) : null;
    if (entry === null) throw new AditError('NOT_FOUND', `There is no storage entry ${storageId}.`);
    return entry;
  }

  /** Makes the folder and those above it that are missing. */
  async ensureFolder(workspaceId: string, folder: string): Promise<void> {
    const paths = pathsTo(folder);
    if (paths.length === 0) return;
    await inTransaction(this.db, async (manager) => {
      await lockTree(manager, workspaceId);
      const known = await manager.findBy(StorageEntryEntity, { workspaceId, name: In(paths), isFolder: true });
      const missing = paths.filter((path) => !known.some(({ name }) => name === path));
      if (missing.length === 0) return;
      await manager.insert(
        StorageEntryEntity,
        missing.map((name) => ({ workspaceId, folder: parentOf(name), name, isFolder: true, uploaded: true })),
      );
    });
  }

  /** Removes a file, or a folder with all below it. Throws CONFLICT when a job that has not ended still needs a file. */
  async remove(workspaceId: string, entry: StorageEntryEntity): Promise<void> {
    const keys = await inTransaction(this.db, async (manager) => {
      await lockTree(manager, workspaceId);
      const entries = entry.isFolder ? await below(manager, entry) : [entry];
      const files = entries.flatMap(({ key }) => key ?? []);
      await refuseUsed(manager, workspaceId, files);
      await manager.delete(StorageEntryEntity, { workspaceId, id: In(entries.map(({ id }) => id)) });
      return files;
    });
    for (const key of keys) await this.objects.delete(storageObjectKey(workspaceId, key));
  }
}

export function presentEntry(entry: StorageEntryEntity): StorageEntry {
  const { id, key, size, name, isFolder, uploaded, uploadFailed, contentType } = entry;
  return {
    id,
    url: key === null ? null : `storage://${key}`,
    file_size: isFolder ? null : Number(size ?? 0),
    name,
    uploaded: isFolder || uploaded,
    upload_failed: uploadFailed,
    is_image: contentType?.startsWith('image/') ?? false,
    is_folder: isFolder,
  };
}

/** One change of a workspace's tree at a time, so that a folder is made once. */
async function lockTree(manager: EntityManager, workspaceId: string): Promise<void> {
  await manager.findOne(WorkspaceEntity, { where: { id: workspaceId }, lock: { mode: 'pessimistic_write' } });
}

function below(manager: EntityManager, { id, workspaceId, name }: StorageEntryEntity): Promise<StorageEntryEntity[]> {
  return manager
    .createQueryBuilder(StorageEntryEntity, 'e')
    .where('e.workspaceId = :workspaceId', { workspaceId })
    .andWhere('(e.id = :id OR e.folder = :name OR starts_with(e.folder, :inside))', { id, name, inside: `${name}/` })
    .getMany();
}

async function refuseUsed(manager: EntityManager, workspaceId: string, keys: string[]): Promise<void> {
  if (keys.length === 0) return;
  const used: { id: string; uri: string }[] = await manager.query(
    `SELECT j.id, s.uri FROM job_sources s JOIN jobs j ON j.id = s.job_id
      WHERE j.workspace_id = $1 AND j.state IN ('waiting', 'processing') AND j.time_deleted IS NULL AND s.uri = ANY($2)
      LIMIT 1`,
    [workspaceId, keys.map((key) => `storage://${key}`)],
  );
  const [first] = used;
  if (first !== undefined) {
    throw new AditError('CONFLICT', `Job ${first.id} still needs ${first.uri}; stop or delete it first.`);
  }
}
