import { AditError } from '@adit/contracts';
import {
  ArtifactEntity,
  inTransaction,
  isHeld,
  type JobEntity,
  HOLD_AHEAD_SECONDS,
  HOLD_SECONDS,
  lockHeldTags,
  NIL_UUID,
  retentionSeconds,
  returned,
  rowsOfJob,
} from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import type { DataSource, EntityManager } from 'typeorm';

/** A file that is written, and not yet the job's or the export's. */
export type NewArtifact = Partial<ArtifactEntity> & Pick<ArtifactEntity, 'objectKey'>;

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

/** SQL: the artifact `a` belongs to a job that is under a legal hold, or to an export that holds results of one. */
const OF_HELD_JOB = `EXISTS (SELECT 1 FROM jobs j WHERE ${isHeld('j')} AND j.id = ANY(array_append(
  (SELECT array_append(e.found_in, e.job_id) FROM exports e WHERE e.id = a.export_id), a.job_id)))`;

/** Position in the files of all workspaces, those that go first in front: time with all its digits, and id. */
export type ExpiryPosition = readonly [time: string, id: string];

interface DueArtifact {
  id: string;
  /** Null: its job or export is gone. */
  workspaceId: string | null;
  time: string;
  isHeld: boolean;
}

/**
 * Goes through at most `limit` files whose time is over, or soon is: deletes those that are over at `now` and notes their
 * removal; puts off by a day what a legal hold keeps, so that clients go on finding it and no pass finds it again until
 * then. Returns the number of deleted files, and where to go on; null at the end.
 */
export async function expireArtifacts(
  db: DataSource,
  { now, after, limit }: { now: Date; after: ExpiryPosition | null; limit: number },
): Promise<{ removed: number; after: ExpiryPosition | null }> {
  const found: DueArtifact[] = await db.query(
    `SELECT d.id, coalesce(j.workspace_id, e.workspace_id) AS "workspaceId", d.time_expiration::text AS time,
            EXISTS (SELECT 1 FROM jobs h WHERE h.id = ANY(array_append(e.found_in, coalesce(d.job_id, e.job_id))) AND ${isHeld('h')}) AS "isHeld"
       FROM (SELECT id, job_id, export_id, time_expiration FROM artifacts
              WHERE time_expiration < $1::timestamptz + make_interval(secs => ${HOLD_AHEAD_SECONDS})
                AND (time_expiration, id) > ($2::timestamptz, $3::uuid)
              ORDER BY time_expiration, id LIMIT $4) d
       LEFT JOIN LATERAL (SELECT workspace_id, job_id, found_in FROM exports WHERE id = d.export_id OFFSET 0) e ON true
       LEFT JOIN LATERAL (SELECT workspace_id FROM jobs WHERE id = d.job_id OFFSET 0) j ON true
      ORDER BY d.time_expiration, d.id`,
    [now, after?.[0] ?? '-infinity', after?.[1] ?? NIL_UUID, limit],
  );
  const held = found.filter((row) => row.isHeld).map(({ id }) => id);
  if (held.length > 0) await putOffArtifacts(db, held, now);
  const free = found.filter((row) => !row.isHeld);
  let removed = 0;
  for (const workspaceId of new Set(free.map((row) => row.workspaceId))) {
    const ids = free.filter((row) => row.workspaceId === workspaceId).map(({ id }) => id);
    removed += await inTransaction(db, async (manager) => {
      if (workspaceId !== null) await lockHeldTags(manager, workspaceId);
      return deleteExpired(manager, ids, now);
    });
  }
  const last = found.length < limit ? undefined : found.at(-1);
  return { removed, after: last === undefined ? null : [last.time, last.id] };
}

/** Whoever lifts the hold has the expiry computed anew. */
async function putOffArtifacts(db: DataSource, ids: readonly string[], now: Date): Promise<void> {
  await db.query(
    `UPDATE artifacts a SET time_expiration = $2::timestamptz + make_interval(secs => ${HOLD_SECONDS})
      WHERE a.id = ANY($1::uuid[]) AND ${OF_HELD_JOB}`,
    [ids, now],
  );
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
  const [owners = 'jobs', time = '-infinity', id = NIL_UUID] = after ?? [];
  const column = owners === 'jobs' ? 'job_id' : 'export_id';
  const [last]: { time: string; id: string }[] = await db.query(
    `WITH part AS MATERIALIZED (
       SELECT id, time_created FROM ${owners === 'jobs' ? 'jobs' : 'exports'}
        WHERE workspace_id = $1 AND (time_created, id) > ($2::timestamptz, $3::uuid) ORDER BY time_created, id LIMIT $4
     ), changed AS (
       UPDATE artifacts a SET time_expiration = a.time_created + make_interval(secs => l.seconds)
         FROM (SELECT ${retentionSeconds('artifacts', '$1')} AS seconds) l
        -- As a list, so that an index finds the files of each, whatever the planner expects of the part.
        WHERE a.${column} = ANY(ARRAY(SELECT id FROM part)) AND NOT ${OF_HELD_JOB}
          AND a.time_expiration IS DISTINCT FROM a.time_created + make_interval(secs => l.seconds))
     SELECT time_created::text AS time, id FROM part ORDER BY time_created, id OFFSET $4 - 1`,
    [workspaceId, time, id, limit],
  );
  if (last !== undefined) return [owners, last.time, last.id];
  return owners === 'jobs' ? ['exports'] : null;
}
