/** Jobs that have ended, in the order of their ends: what retention looks at. */
import { TERMINAL_JOB_STATES } from '@adit/contracts';
import { isHeld, JobEntity } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';

/** The least UUID. */
const NIL = '00000000-0000-0000-0000-000000000000';

export interface EndedJobRow {
  id: string;
  tag: string;
  isHeld: boolean;
  /** Time of its end with all its digits. */
  ended: string;
}

/** Returns at most `limit` jobs of a workspace that ended before a time, behind a former one of the list. */
export function endedJobs(
  db: DataSource,
  {
    workspaceId,
    before,
    after,
    limit,
  }: { workspaceId: string; before: Date; after: EndedJobRow | null; limit: number },
): Promise<EndedJobRow[]> {
  return db.query(
    `SELECT j.id, j.tag, j.time_completed::text AS ended, ${isHeld('j')} AS "isHeld" FROM jobs j
      WHERE j.workspace_id = $1 AND j.time_completed IS NOT NULL AND j.time_deleted IS NULL AND j.time_completed < $2
        AND (j.time_completed, j.id) > ($3::timestamptz, $4::uuid)
      ORDER BY j.time_completed, j.id LIMIT $5`,
    [workspaceId, before, after?.ended ?? '-infinity', after?.id ?? NIL, limit],
  );
}

/** Puts off the ttl of ended jobs under a legal hold to `until`, so that nobody finds them expired over and over. */
export async function putOffExpiry(
  db: Pick<EntityManager, 'query'>,
  ids: readonly string[],
  until: Date,
): Promise<void> {
  await db.query('UPDATE jobs SET time_expires = $2 WHERE id = ANY($1::uuid[]) AND time_expires < $2', [ids, until]);
}

/** Jobs whose ttl is over at `now`, and that no legal hold keeps: at most `limit`. */
export function expiredJobIds(db: DataSource, now: Date, limit: number): Promise<{ id: string }[]> {
  return (
    db.manager
      .createQueryBuilder(JobEntity, 'j')
      .select('j.id', 'id')
      // A job that an older build retried runs with the expiry of its former life: `expire` leaves it alone.
      .where('j.state IN (:...states)', { states: [...TERMINAL_JOB_STATES] })
      .andWhere('j.timeExpires <= :now AND j.timeDeleted IS NULL', { now })
      .andWhere(`NOT ${isHeld('j')}`)
      .limit(limit)
      .getRawMany<{ id: string }>()
  );
}

/** SQL: `expiredJobIds` would find some. */
export const JOBS_EXPIRE = `EXISTS (
  SELECT 1 FROM jobs j WHERE j.state IN (${[...TERMINAL_JOB_STATES].map((state) => `'${state}'`).join(', ')})
     AND j.time_expires <= now() AND j.time_deleted IS NULL AND NOT ${isHeld('j')})`;
