import { AditError } from '@adit/contracts';
import { BatchEntity, isUuid, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';
import { IsNull, type EntityManager } from 'typeorm';

/** Returns the batch; null when it does not exist, was deleted, or belongs to another workspace. */
export async function findBatch(manager: EntityManager, workspaceId: string, id: string): Promise<BatchEntity | null> {
  if (!isUuid(id)) return null;
  return manager.findOneBy(BatchEntity, { id, workspaceId, timeDeleted: IsNull() });
}

/** Throws VALIDATION at `pointer` when a batch that a request names does not exist; null names none. */
export async function checkBatch(
  manager: EntityManager,
  workspaceId: string,
  id: string | null | undefined,
  pointer: string,
): Promise<void> {
  if (id == null || (await findBatch(manager, workspaceId, id)) !== null) return;
  const message = `There is no batch ${id}.`;
  throw new AditError('VALIDATION', message, { errors: [{ pointer, code: 'unknown_batch', message }] });
}

/** Makes a batch. */
export async function insertBatch(
  manager: EntityManager,
  batch: Pick<BatchEntity, 'id' | 'workspaceId' | 'name' | 'parentId'> & Partial<Pick<BatchEntity, 'description'>>,
): Promise<void> {
  await manager.insert(BatchEntity, batch);
}

/** Rows erased with their workspace. */
export const BATCH_ROWS: readonly RowsOfWorkspace[] = [rowsOfWorkspace('batches', { kind: 'batches' })];
