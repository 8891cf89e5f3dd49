/** Jobs that have ended, in the order of their ends: what retention looks at. */
import { TERMINAL_JOB_STATES } from '@adit/contracts';
import { HOLD_SECONDS, isHeld, JobEntity, NIL_UUID } from '@adit/database';
import type { DataSource } from 'typeorm';

export interface EndedJobRow {
  id: string;
  tag: string;
  isHeld: boolean;
  /** Time of its end with all its digits. */
  ended: string;
}

const RECORDED = 'AND j.recorded AND EXISTS (SELECT 1 FROM recording_headers h WHERE h.job_id = j.id OFFSET 0)';

/**
 * Returns at most `limit` jobs of a workspace that ended before a time, behind a former one of the list; those with a
 * recording alone if that is asked for.
 */
export function endedJobs(
  db: DataSource,
  {
    workspaceId,
    before,
    after,
    limit,
    recorded = false,
  }: { workspaceId: string; before: Date; after: EndedJobRow | null; limit: number; recorded?: boolean },
): Promise<EndedJobRow[]> {
  return db.query(
    `SELECT j.id, j.tag, j.time_completed::text AS ended, ${isHeld('j')} AS "isHeld" FROM jobs j
      WHERE j.workspace_id = $1 AND j.time_completed IS NOT NULL AND j.time_deleted IS NULL AND j.time_completed < $2
        AND (j.time_completed, j.id) > ($3::timestamptz, $4::uuid) ${recorded ? RECORDED : ''}
      ORDER BY j.time_completed, j.id LIMIT $5`,
    [workspaceId, before, after?.ended ?? '-infinity', after?.id ?? NIL_UUID, limit],
  );
}

/**
 * Puts off by a day the ttl of at most `limit` jobs under a legal hold that is over at `now`, so that nobody finds them over
 * and over. Returns their number.
 */
export async function putOffHeldJobs(db: DataSource, now: Date, limit: number): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `WITH held AS (
       UPDATE jobs SET time_expires = $1::timestamptz + make_interval(secs => ${HOLD_SECONDS})
        WHERE id = ANY(ARRAY(
          SELECT j.id FROM jobs j
           WHERE j.time_expires <= $1 AND j.state = ANY($3::text[]) AND j.time_deleted IS NULL AND ${isHeld('j')}
           ORDER BY j.time_expires LIMIT $2))
       RETURNING 1)
     SELECT count(*)::int AS count FROM held`,
    [now, limit, [...TERMINAL_JOB_STATES]],
  );
  return row?.count ?? 0;
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
      .orderBy('j.timeExpires')
      .limit(limit)
      .getRawMany<{ id: string }>()
  );
}

/** SQL: `expiredJobIds` would find some. */
export const JOBS_EXPIRE = `EXISTS (
  SELECT 1 FROM jobs j WHERE j.state IN (${[...TERMINAL_JOB_STATES].map((state) => `'${state}'`).join(', ')})
     AND j.time_expires <= now() AND j.time_deleted IS NULL AND NOT ${isHeld('j')})`;

/** SQL: a job under the alias `j` that looked for an export which has ended, in whatever way. */
const IS_LEFT_LOOK = `j.export_id IS NOT NULL AND j.time_deleted IS NULL AND NOT EXISTS (
  SELECT 1 FROM exports e WHERE e.id = j.export_id AND e.state IN ('waiting', 'processing'))`;

/** Jobs that looked for exports which have ended: at most `limit`. */
export function leftLooks(db: DataSource, limit: number): Promise<{ id: string }[]> {
  return db.query(`SELECT j.id FROM jobs j WHERE ${IS_LEFT_LOOK} ORDER BY j.export_id LIMIT $1`, [limit]);
}

/** SQL: `leftLooks` would find some. */
export const LOOKS_ARE_LEFT = `EXISTS (SELECT 1 FROM jobs j WHERE ${IS_LEFT_LOOK})`;
