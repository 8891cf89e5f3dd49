import { columns, DatasetImportEntity, DatasetImportErrorEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Asks for an import. */
export async function insertImport(
  manager: EntityManager,
  asked: Pick<DatasetImportEntity, 'id' | 'workspaceId' | 'datasetId' | 'storageKey' | 'folder'>,
): Promise<void> {
  await manager.insert(DatasetImportEntity, columns<DatasetImportEntity>(asked));
}

/** Deletes the record of an import. Whoever is at it holds the row while it writes. */
export async function deleteImport(manager: EntityManager, id: string): Promise<void> {
  await manager.delete(DatasetImportEntity, { id });
  await manager.delete(DatasetImportErrorEntity, { importId: id });
}

/** The same by one statement, outside of a transaction. */
export async function expireImport(db: Pick<EntityManager, 'query'>, id: string): Promise<void> {
  await db.query(
    `WITH gone AS (DELETE FROM dataset_imports WHERE id = $1 RETURNING id)
     DELETE FROM dataset_import_errors WHERE import_id IN (SELECT id FROM gone)`,
    [id],
  );
}
