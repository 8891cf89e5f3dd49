import { AditError } from '@adit/contracts';
import {
  ArtifactEntity,
  inTransaction,
  isHeld,
  type JobEntity,
  lockHeldTags,
  retentionSeconds,
  returned,
  rowsOfJob,
} from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import type { DataSource, EntityManager } from 'typeorm';

/** A file that is written, and not yet the job's or the export's. */
export type NewArtifact = Partial<ArtifactEntity> & Pick<ArtifactEntity, 'objectKey'>;

/** The least UUID. */
const NIL = '00000000-0000-0000-0000-000000000000';
/** A statement takes 65,535 values. */
const ROWS_PER_INSERT = 1_000;

/** Returns the time until which files are kept that the workspace makes now. */
export async function artifactExpiry(db: Pick<EntityManager, 'query'>, workspaceId: string): Promise<Date> {
  const [row]: { time: Date }[] = await db.query(
    `SELECT now() + make_interval(secs => ${retentionSeconds('artifacts', '$1')}) AS time`,
    [workspaceId],
  );
  if (row === undefined) throw new AditError('INTERNAL', 'The database did not tell its time.');
  return row.time;
}

/** Makes files a job's, in place of those that it had. Returns the keys of those. */
export async function replaceArtifacts(
  manager: EntityManager,
  { id: jobId, workspaceId }: Pick<JobEntity, 'id' | 'workspaceId'>,
  artifacts: readonly NewArtifact[],
): Promise<string[]> {
  const old = returned<{ object_key: string }>(
    await manager.query('DELETE FROM artifacts WHERE job_id = $1 RETURNING object_key', [jobId]),
  );
  const timeExpiration = await artifactExpiry(manager, workspaceId);
  for (let at = 0; at < artifacts.length; at += ROWS_PER_INSERT) {
    const some = artifacts.slice(at, at + ROWS_PER_INSERT);
    await manager.insert(
      ArtifactEntity,
      some.map((artifact) => ({ ...artifact, timeExpiration })),
    );
  }
  return old.map((row) => row.object_key);
}

/** Takes their files from jobs, which stay. Returns the keys. */
export async function removeArtifacts(manager: EntityManager, jobs: readonly string[]): Promise<string[]> {
  const gone = returned<{ object_key: string }>(
    await manager.query('DELETE FROM artifacts WHERE job_id = ANY($1::uuid[]) RETURNING object_key', [jobs]),
  );
  return gone.map((row) => row.object_key);
}

/** Files that are the job's own. */
export const ARTIFACTS_OF_JOB = rowsOfJob('artifacts');

/** SQL: the artifact `a` belongs to a job, or to an export of one, that is under a legal hold. */
const OF_HELD_JOB = `EXISTS (SELECT 1 FROM jobs j WHERE ${isHeld('j')}
  AND j.id = coalesce(a.job_id, (SELECT e.job_id FROM exports e WHERE e.id = a.export_id)))`;

/**
 * Deletes at most `limit` files whose time is over at `now`, and that no legal hold keeps, and notes their removal. Returns
 * their number.
 */
export async function expireArtifacts(db: DataSource, now: Date, limit: number): Promise<number> {
  // The job or export of a file may be gone.
  const found: { id: string; workspaceId: string | null }[] = await db.query(
    `SELECT a.id, coalesce(j.workspace_id, e.workspace_id) AS "workspaceId"
       FROM artifacts a LEFT JOIN exports e ON e.id = a.export_id LEFT JOIN jobs j ON j.id = a.job_id
      WHERE a.time_expiration < $1 AND NOT ${OF_HELD_JOB} LIMIT $2`,
    [now, limit],
  );
  let count = 0;
  for (const workspaceId of new Set(found.map((row) => row.workspaceId))) {
    const ids = found.filter((row) => row.workspaceId === workspaceId).map(({ id }) => id);
    count += await inTransaction(db, async (manager) => {
      if (workspaceId !== null) await lockHeldTags(manager, workspaceId);
      return deleteExpired(manager, ids, now);
    });
  }
  return count;
}

async function deleteExpired(manager: EntityManager, ids: readonly string[], now: Date): Promise<number> {
  const [row]: { count: number }[] = await manager.query(
    `WITH gone AS (
       DELETE FROM artifacts a WHERE a.id = ANY($1::uuid[]) AND a.time_expiration < $2 AND NOT ${OF_HELD_JOB}
       RETURNING a.object_key),
     noted AS (${notedRemovals('SELECT object_key, false, $2::timestamptz FROM gone')})
     SELECT count(*)::int AS count FROM gone`,
    [ids, now],
  );
  return row?.count ?? 0;
}

/**
 * Computes the expiry of files anew, those of at most `limit` jobs or exports of a workspace behind a position, with its
 * current retention. Returns the next position, or null when all are done. A repetition changes nothing; what a legal
 * hold keeps stays as it is.
 */
export async function restampArtifacts(
  db: Pick<EntityManager, 'query'>,
  workspaceId: string,
  after: readonly string[] | null,
  limit: number,
): Promise<string[] | null> {
  const [owners = 'jobs', time = '-infinity', id = NIL] = after ?? [];
  const column = owners === 'jobs' ? 'job_id' : 'export_id';
  const [last]: { time: string; id: string }[] = await db.query(
    `WITH part AS MATERIALIZED (
       SELECT id, time_created FROM ${owners === 'jobs' ? 'jobs' : 'exports'}
        WHERE workspace_id = $1 AND (time_created, id) > ($2::timestamptz, $3::uuid) ORDER BY time_created, id LIMIT $4
     ), changed AS (
       UPDATE artifacts a SET time_expiration = a.time_created + make_interval(secs => l.seconds)
         FROM part s, (SELECT ${retentionSeconds('artifacts', '$1')} AS seconds) l
        WHERE a.${column} = s.id AND NOT ${OF_HELD_JOB}
          AND a.time_expiration IS DISTINCT FROM a.time_created + make_interval(secs => l.seconds))
     SELECT time_created::text AS time, id FROM part ORDER BY time_created, id OFFSET $4 - 1`,
    [workspaceId, time, id, limit],
  );
  if (last !== undefined) return [owners, last.time, last.id];
  return owners === 'jobs' ? ['exports'] : null;
}

/** Puts off the expiry of files of jobs, and of exports of them, to `until`. */
export async function putOffArtifactExpiry(
  db: Pick<EntityManager, 'query'>,
  jobIds: readonly string[],
  until: Date,
): Promise<void> {
  await db.query(
    `UPDATE artifacts SET time_expiration = $2 WHERE time_expiration < $2 AND id IN (
       SELECT id FROM artifacts WHERE job_id = ANY($1::uuid[]) UNION ALL
       SELECT a.id FROM artifacts a JOIN exports e ON e.id = a.export_id WHERE e.job_id = ANY($1::uuid[]))`,
    [jobIds, until],
  );
}
