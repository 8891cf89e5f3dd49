import { AditError } from '@adit/contracts';
import { DatasetErasureEntity, inTransaction, returned } from '@adit/database';
import { deleteExports, exportPrefix } from '@adit/artifacts';
import { noteRemovals } from '@adit/object-removals';
import { renewLease, TASK_LEASE_SECONDS, type ClaimedTask } from '@adit/leases';
import type { DataSource } from 'typeorm';
import { eraseImages, lockClass, type ClassPlace } from './images.js';

/** Images per statement, which has to end within the statement timeout. */
const STEP = 1_000;

/** Hides a dataset immediately; its images are erased in steps. Throws NOT_FOUND. */
export async function deleteDataset(db: DataSource, workspaceId: string, id: string): Promise<{ name: string }> {
  return inTransaction(db, async (manager) => {
    const [row] = returned<{ name: string }>(
      await manager.query(
        `UPDATE datasets SET time_deleted = now() WHERE id = $1 AND workspace_id = $2 AND time_deleted IS NULL
         RETURNING name`,
        [id, workspaceId],
      ),
    );
    if (row === undefined) throw new AditError('NOT_FOUND', `There is no dataset ${id}.`);
    await manager.insert(DatasetErasureEntity, { id, workspaceId, datasetId: id, classId: null });
    return row;
  });
}

/** Hides a class in the same way. */
export async function deleteClass(db: DataSource, place: ClassPlace): Promise<{ label: string }> {
  const { workspaceId, datasetId, classId } = place;
  return inTransaction(db, async (manager) => {
    const { label, changes } = await lockClass(manager, place);
    await manager.query('UPDATE dataset_classes SET time_deleted = now() WHERE id = $1', [classId]);
    // The version of a dataset never decreases.
    await manager.query('UPDATE datasets SET changes = changes + $2 + 1, time_updated = now() WHERE id = $1', [
      datasetId,
      changes,
    ]);
    await manager.insert(DatasetErasureEntity, { id: classId, workspaceId, datasetId, classId });
    return { label };
  });
}

/** Erases the rest of a dataset or class, except for rows that another process has claimed. */
export async function eraseRest(db: DataSource, task: ClaimedTask): Promise<void> {
  const { id } = task.key;
  const left = await db.manager.findOneBy(DatasetErasureEntity, { id });
  if (left === null) return;
  const [column, value] = left.classId === null ? ['dataset_id', left.datasetId] : ['class_id', left.classId];
  while ((await eraseImages(db, `${column} = $2`, value, STEP)) > 0) {
    if (!(await renewLease(db, task, TASK_LEASE_SECONDS))) return;
  }
  await inTransaction(db, async (manager) => {
    if (left.classId === null) {
      const exports = await deleteExports(manager, { dataset_id: left.datasetId }, Number.MAX_SAFE_INTEGER);
      await noteRemovals(manager, exports.map(exportPrefix), { again: true });
      await manager.query(
        'DELETE FROM dataset_import_errors WHERE import_id IN (SELECT id FROM dataset_imports WHERE dataset_id = $1)',
        [left.datasetId],
      );
      await manager.query('DELETE FROM dataset_imports WHERE dataset_id = $1', [left.datasetId]);
      await manager.query('DELETE FROM dataset_classes WHERE dataset_id = $1', [left.datasetId]);
      await manager.query('DELETE FROM datasets WHERE id = $1', [left.datasetId]);
    } else {
      await manager.query('DELETE FROM dataset_classes WHERE id = $1', [left.classId]);
    }
    await manager.delete(DatasetErasureEntity, { id });
  });
}
