import { columns, ReportEntity, ReportItemEntity, returned } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Items of one statement. */
const PART = 200;

/** Asks for a report of a batch. */
export async function insertReport(
  manager: EntityManager,
  report: Pick<ReportEntity, 'id' | 'workspaceId' | 'batchId' | 'title'>,
): Promise<void> {
  await manager.insert(ReportEntity, report);
}

/** Ends a report, whose row the transaction has locked, with what it says. */
export async function completeReport(
  manager: EntityManager,
  id: string,
  items: readonly Pick<ReportItemEntity, 'batchId' | 'info'>[],
): Promise<void> {
  const rows = items.map(({ batchId, info }, position) => ({ reportId: id, position, batchId, info }));
  for (let at = 0; at < rows.length; at += PART) {
    const part = rows.slice(at, at + PART).map((row) => columns<ReportItemEntity>(row));
    await manager.insert(ReportItemEntity, part);
  }
  await manager.update(ReportEntity, { id }, { state: 'completed', leaseUntil: null, errorMsg: null });
}

export async function removeReport(manager: EntityManager, id: string): Promise<void> {
  await manager.delete(ReportEntity, { id });
  await manager.delete(ReportItemEntity, { reportId: id });
}

/**
 * Deletes the reports of the batch that a job is in, and of those that contain it: they sum it up. Those that wait are written of
 * what is left. Returns how many have gone.
 */
export async function deleteReportsOver(manager: EntityManager, workspaceId: string, jobId: string): Promise<number> {
  const gone = returned<{ id: string }>(
    await manager.query(
      `DELETE FROM reports WHERE workspace_id = $1 AND state <> 'waiting' AND batch_id IN (
         WITH RECURSIVE up AS (
           SELECT b.id, b.parent_id FROM batches b JOIN jobs j ON j.batch_id = b.id WHERE j.id = $2
           UNION SELECT b.id, b.parent_id FROM batches b JOIN up ON b.id = up.parent_id)
         SELECT id FROM up)
       RETURNING id`,
      [workspaceId, jobId],
    ),
  );
  // By a statement of its own, which sees those of one that was just completed.
  await manager.query('DELETE FROM report_items WHERE report_id = ANY($1::uuid[])', [gone.map(({ id }) => id)]);
  return gone.length;
}
