import {
  AditError,
  DEFAULT_COLLECTION,
  isoTime,
  type IndexCollection,
  type IndexCollectionRequest,
  type PageQuery,
} from '@adit/contracts';
import {
  IndexCollectionEntity,
  inTransaction,
  isUniqueViolation,
  readPage,
  refuseBeyond,
  type Beside,
  type FoundPage,
} from '@adit/database';
import { forgetNames } from '@adit/search';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { ensureDefaultCollection } from './default-collection.js';
import { removeIdentities } from './removal.js';

/** Index collections of a workspace. */
@Injectable()
export class IndexCollections {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Lists the oldest first; all of them without a limit. */
  async list(workspaceId: string, page: Partial<PageQuery>): Promise<FoundPage<IndexCollectionEntity>> {
    await ensureDefaultCollection(this.db.manager, workspaceId);
    const found = this.db.manager
      .createQueryBuilder(IndexCollectionEntity, 'c')
      .where({ workspaceId, timeDeleted: IsNull() });
    return readPage(found, page, [
      { by: 'c.timeCreated', kind: 'time' },
      { by: 'c.id', kind: 'uuid' },
    ]);
  }

  /** Throws NOT_FOUND, also for another workspace's. */
  get(workspaceId: string, name: string): Promise<IndexCollectionEntity> {
    return collectionOf(this.db.manager, workspaceId, name);
  }

  /** Reads it within a transaction. */
  getIn(manager: EntityManager, workspaceId: string, name: string): Promise<IndexCollectionEntity> {
    return collectionOf(manager, workspaceId, name);
  }

  /** Throws CONFLICT when the name is taken, or the workspace has `most`. */
  async create(
    workspaceId: string,
    { name, description, type }: IndexCollectionRequest,
    { id, most = Infinity, beside }: { id: string; most?: number; beside?: Beside },
  ): Promise<IndexCollectionEntity> {
    if (name === DEFAULT_COLLECTION) await ensureDefaultCollection(this.db.manager, workspaceId);
    try {
      await inTransaction(this.db, async (manager) => {
        await beside?.(manager);
        if (most !== Infinity) await refuseMore(manager, workspaceId, most);
        await manager.insert(IndexCollectionEntity, { id, workspaceId, name, description, type });
      });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new AditError('CONFLICT', `There is an index collection ${name} already.`, {
        errors: [{ pointer: '/name', code: 'exists', message: 'Another collection has this name.' }],
      });
    }
    return this.get(workspaceId, name);
  }

  async describe(workspaceId: string, name: string, description: string): Promise<IndexCollectionEntity> {
    const { id } = await this.get(workspaceId, name);
    await this.db.manager.update(IndexCollectionEntity, { id }, { description, timeUpdated: new Date() });
    return this.get(workspaceId, name);
  }

  /**
   * Deletes a collection: it is hidden immediately, and running jobs add nobody to it; its identities are removed in
   * steps.
   */
  async remove(workspaceId: string, name: string): Promise<void> {
    await inTransaction(this.db, async (manager) => {
      const { id } = await collectionOf(manager, workspaceId, name, true);
      await manager.update(IndexCollectionEntity, { id }, { timeDeleted: new Date() });
      const named: { id: string }[] = await manager.query(
        "SELECT index_id AS id FROM index_identities WHERE collection_id = $1 AND label <> ''",
        [id],
      );
      await forgetNames(
        manager,
        named.map((identity) => identity.id),
      );
      await removeIdentities(manager, id);
    });
  }
}

function refuseMore(manager: EntityManager, workspaceId: string, most: number): Promise<void> {
  return refuseBeyond(manager, {
    kind: 'index collections',
    ownerId: workspaceId,
    most,
    rows: 'SELECT 1 FROM index_collections WHERE workspace_id = $1 AND time_deleted IS NULL',
    message: `A workspace has at most ${most} index collections; delete one.`,
  });
}

/** Throws NOT_FOUND. `held` locks its contents until the transaction ends. */
export async function collectionOf(
  manager: EntityManager,
  workspaceId: string,
  name: string,
  held = false,
): Promise<IndexCollectionEntity> {
  if (name === DEFAULT_COLLECTION) await ensureDefaultCollection(manager, workspaceId);
  const row = await manager.findOne(IndexCollectionEntity, {
    where: { workspaceId, name, timeDeleted: IsNull() },
    ...(held ? { lock: { mode: 'pessimistic_write' as const } } : {}),
  });
  if (row === null) throw new AditError('NOT_FOUND', `There is no index collection ${name}.`);
  return row;
}

export function presentCollection(row: IndexCollectionEntity): IndexCollection {
  const { name, description, type, size, embeddingName: model, embeddingDigest: digest } = row;
  return {
    name,
    description,
    type,
    is_public: false,
    number_of_identities: size,
    embedding: model === null || digest === null ? null : { model, digest },
    time_created: isoTime(row.timeCreated),
    time_updated: isoTime(row.timeUpdated),
  };
}
