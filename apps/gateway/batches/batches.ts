import { randomUUID } from 'node:crypto';
import { AditError, isoTime, type Batch, type BatchRequest, type PageQuery } from '@adit/contracts';
import { BatchEntity, containing, inTransaction, isUuid, readPage, type Beside, type FoundPage } from '@adit/database';
import { checkBatch, findBatch, insertBatch } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, ILike, IsNull, type FindOptionsWhere } from 'typeorm';

/** The batches of a workspace. */
@Injectable()
export class Batches {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Newest first. */
  async list(
    workspaceId: string,
    { parent, search, ...page }: PageQuery & { parent?: string | undefined; search?: string | undefined },
  ): Promise<FoundPage<BatchEntity>> {
    const where: FindOptionsWhere<BatchEntity> = { workspaceId, timeDeleted: IsNull() };
    if (parent === 'null' || parent === '') where.parentId = IsNull();
    else if (parent !== undefined && !isUuid(parent)) return { total: 0, rows: [], next: null };
    else if (parent !== undefined) where.parentId = parent;
    if (search !== undefined && search !== '') where.name = ILike(containing(search));
    return readPage(this.db.manager.createQueryBuilder(BatchEntity, 'b').where(where), page, [
      { by: 'b.timeCreated', kind: 'time', descending: true },
      { by: 'b.id', kind: 'uuid', descending: true },
    ]);
  }

  /** Throws NOT_FOUND, also for another workspace's. */
  async get(workspaceId: string, id: string): Promise<BatchEntity> {
    const row = await findBatch(this.db.manager, workspaceId, id);
    if (row === null) throw new AditError('NOT_FOUND', `There is no batch ${id}.`);
    return row;
  }

  /** Throws VALIDATION at `/parent` when there is no such batch. */
  async create(
    workspaceId: string,
    { name, description, parent }: BatchRequest,
    id: string = randomUUID(),
    beside?: Beside,
  ): Promise<BatchEntity> {
    await inTransaction(this.db, async (manager) => {
      await beside?.(manager);
      await checkBatch(manager, workspaceId, parent, '/parent');
      await insertBatch(manager, { id, workspaceId, name, description, parentId: parent });
    });
    return this.get(workspaceId, id);
  }

  /** The oldest batch of that name at the top, made when there is none. */
  async named(workspaceId: string, name: string): Promise<BatchEntity> {
    const where = { workspaceId, name, parentId: IsNull(), timeDeleted: IsNull() };
    const order = { timeCreated: 'ASC', id: 'ASC' } as const;
    const found = await this.db.manager.findOne(BatchEntity, { where, order });
    return found ?? this.create(workspaceId, { name, description: '', parent: null });
  }
}

export function presentBatch({ id, name, description, parentId, timeCreated, timeUpdated }: BatchEntity): Batch {
  return {
    id,
    name,
    description,
    parent: parentId,
    time_created: isoTime(timeCreated),
    time_updated: isoTime(timeUpdated),
  };
}
