import { AditError, type PageQuery } from '@adit/contracts';
import { inTransaction, readPage, StorageEntryEntity, type FoundPage } from '@adit/database';
import { FileRemovals, lockTree } from '@adit/storage';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { refuseUsed } from './tree-changes.js';

const MAX_ID = 2 ** 31 - 1;

/** The folders and files of a workspace. */
@Injectable()
export class StorageTree {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(FileRemovals) private readonly removals: FileRemovals,
  ) {}

  /** Folders first, then files, by name; all of them without a limit. Throws NOT_FOUND for a folder that is not there. */
  async list(
    workspaceId: string,
    folder: string,
    page: Partial<PageQuery> = {},
  ): Promise<FoundPage<StorageEntryEntity>> {
    const isThere =
      folder === '/' ||
      (await this.db.manager.existsBy(StorageEntryEntity, { workspaceId, name: folder, isFolder: true }));
    if (!isThere) throw new AditError('NOT_FOUND', `There is no folder ${folder}.`);
    const found = this.db.manager.createQueryBuilder(StorageEntryEntity, 'e').where({ workspaceId, folder });
    // Without a limit, all that is behind an offset.
    if (page.limit === undefined) found.offset(page.offset ?? 0);
    return readPage(found, page, [
      { by: '(NOT e.isFolder)', kind: 'flag' },
      { by: 'e.name', kind: 'text' },
      { by: 'e.id', kind: 'number' },
    ]);
  }

  /** Throws NOT_FOUND, also for another workspace's entry. */
  async get(workspaceId: string, storageId: string): Promise<StorageEntryEntity> {
    const id = /^\d{1,10}$/.test(storageId) ? Number(storageId) : Infinity;
    const entry = id <= MAX_ID ? await this.db.manager.findOneBy(StorageEntryEntity, { id, workspaceId }) : null;
    if (entry === null) throw new AditError('NOT_FOUND', `There is no storage entry ${storageId.slice(0, 40)}.`);
    return entry;
  }

  /** Removes a file, or a folder with all below it. Throws CONFLICT when a job that has not ended still needs a file. */
  async remove(entry: StorageEntryEntity): Promise<void> {
    const { workspaceId } = entry;
    await inTransaction(this.db, async (manager) => {
      await lockTree(manager, workspaceId);
      const entries = entry.isFolder ? await below(manager, entry) : [entry];
      await refuseUsed(manager, workspaceId, entries);
      await this.removals.note(manager, entries);
    });
    await this.removals.drain();
  }
}

/** The folder and everything in it. */
function below(manager: EntityManager, { id, workspaceId, name }: StorageEntryEntity): Promise<StorageEntryEntity[]> {
  return manager
    .createQueryBuilder(StorageEntryEntity, 'e')
    .where('e.workspaceId = :workspaceId', { workspaceId })
    .andWhere('(e.id = :id OR e.folder = :name OR starts_with(e.folder, :inside))', { id, name, inside: `${name}/` })
    .getMany();
}
