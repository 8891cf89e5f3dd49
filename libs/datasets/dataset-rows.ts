import { DatasetEntity, hangsOn, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';
import type { EntityManager } from 'typeorm';

export async function insertDataset(
  manager: EntityManager,
  dataset: Pick<DatasetEntity, 'id' | 'workspaceId' | 'name'> & Partial<Pick<DatasetEntity, 'description' | 'type'>>,
): Promise<void> {
  await manager.insert(DatasetEntity, dataset);
}

/** Gives a dataset that is there another name and description. */
export async function describeDataset(
  db: Pick<EntityManager, 'query'>,
  { id, name, description }: Pick<DatasetEntity, 'id' | 'name' | 'description'>,
): Promise<void> {
  await db.query(
    `UPDATE datasets SET name = $2, description = $3, changes = changes + 1, time_updated = now()
      WHERE id = $1 AND time_deleted IS NULL`,
    [id, name, description],
  );
}

/** Rows erased with their workspace, in this order: referencing rows before referenced ones. */
export const DATASET_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('dataset_images', { kind: 'dataset_images' }),
  rowsOfWorkspace('dataset_looks'),
  rowsOfWorkspace('dataset_classes', { kind: 'dataset_classes' }),
  rowsOfWorkspace('dataset_import_errors', { where: hangsOn('import_id', 'dataset_imports') }),
  rowsOfWorkspace('dataset_imports'),
  rowsOfWorkspace('trainings', { kind: 'trainings' }),
  rowsOfWorkspace('datasets', { kind: 'datasets' }),
  rowsOfWorkspace('dataset_erasures'),
];
