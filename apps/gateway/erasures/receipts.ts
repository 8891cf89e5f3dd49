import { retentionSeconds } from '@adit/database';
import type { DataSource } from 'typeorm';

const MAX_ROWS = 1_000;

/** Removes receipts of completed erasures that are older than their workspace keeps them, at most MAX_ROWS. Returns their number. */
export async function removeReceipts(db: DataSource): Promise<number> {
  const workspaces: { id: string }[] = await db.query(
    `SELECT id FROM (SELECT id, ${retentionSeconds('receipts', 'v.id')} AS seconds FROM workspaces v) w WHERE seconds IS NOT NULL`,
  );
  let count = 0;
  for (const { id } of workspaces) {
    const [row]: { count: number }[] = await db.query(
      `WITH gone AS (
         DELETE FROM erasures WHERE ctid = ANY(ARRAY(
           SELECT e.ctid FROM erasures e, (SELECT ${retentionSeconds('receipts', '$1::uuid')} AS seconds) l
            WHERE e.workspace_id = $1 AND e.time_created < now() - make_interval(secs => l.seconds)
              AND e.time_completed < now() - make_interval(secs => l.seconds)
            ORDER BY e.time_created LIMIT ${MAX_ROWS}))
         RETURNING 1)
       SELECT count(*)::int AS count FROM gone`,
      [id],
    );
    count += row?.count ?? 0;
  }
  return count;
}
