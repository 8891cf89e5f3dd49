/** Statements that write rows of deleted jobs, which stay as tombstones for work in flight. */
import { JobEntity } from '@adit/database';
import { LessThan, type DataSource, type EntityManager } from 'typeorm';

/** Makes the job a tombstone: nobody finds it from here on. Its row stays for a while, without names of people. */
export async function markDeleted(manager: EntityManager, jobId: string): Promise<void> {
  await manager.update(
    JobEntity,
    { id: jobId },
    {
      timeDeleted: new Date(),
      // The index of what expires has no deleted jobs.
      timeExpires: null,
      summary: [],
      errors: [],
    },
  );
}

/** Removes the clients' texts from at most `limit` jobs of a workspace that is erased; returns their number. */
export async function blankJobs(db: DataSource, workspaceId: string, limit: number): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `WITH blank AS (
       UPDATE jobs SET tag = '', errors = '[]', sources = '[]', summary = '[]', webhook = NULL, batch_id = NULL
        WHERE id = ANY(ARRAY(
          SELECT id FROM jobs
           WHERE workspace_id = $1 AND (tag <> '' OR errors <> '[]' OR sources <> '[]' OR summary <> '[]'
              OR webhook IS NOT NULL OR batch_id IS NOT NULL)
           LIMIT $2))
       RETURNING 1)
     SELECT count(*)::int AS count FROM blank`,
    [workspaceId, limit],
  );
  return row?.count ?? 0;
}

/** Returns at most `limit` jobs that were deleted before a time. */
export function tombstonesBefore(db: DataSource, before: Date, limit: number): Promise<Pick<JobEntity, 'id'>[]> {
  return db.manager.find(JobEntity, { where: { timeDeleted: LessThan(before) }, take: limit, select: { id: true } });
}

export async function removeTombstone(db: DataSource, id: string): Promise<void> {
  await db.manager.delete(JobEntity, { id });
}
