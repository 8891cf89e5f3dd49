import { ClipEntity, columns, refuseBeyond, returned, rowsOfJob, tooMany, type ClipCut } from '@adit/database';
import { AditError, LIFETIME_SECONDS, type ErrorCode } from '@adit/contracts';
import { updateHeld, type Held } from '@adit/leases';
import { notedRemovals, noteRemovals } from '@adit/object-removals';
import { sha256Of } from '@adit/runtime';
import type { EntityManager } from 'typeorm';

/** Clips of a workspace that have not ended, at the most. */
const MAX_OPEN = 100;
/** Seconds for which a failure is told; whoever asks later has it tried again. */
const FAILURE_SECONDS = 60;

/** Clips that a workspace has at once. */
const MAX_KEPT = 10_000;
const GIB = 2 ** 30;
/** Their bytes together; those that are being cut may exceed it. */
const MAX_KEPT_BYTES = 100 * GIB;
/** Seconds after which nobody waits for a clip any more that has not been cut. */
const FORGOTTEN_SECONDS = 3600;

/** All attempts at a clip; like all that lies below the job, they go with it. */
function clipFolder(jobId: string, id: string): string {
  return `jobs/${jobId}/clips/${id}/`;
}

/** The file of an attempt at a clip. One whose process died leaves it, and it goes with the others. */
export function clipKey(jobId: string, id: string, attempt: number): string {
  return `${clipFolder(jobId, id)}${attempt}`;
}

/** Clips of a job. */
export const CLIPS_OF_JOB = rowsOfJob('clips');

/** Name of a clip within its job: the same for the same cut. */
export function clipDigest({ source, mediaDigest, frames, timeStart, timeEnd, handles, exact }: ClipCut): string {
  const { first = null, last = null } = frames ?? {};
  return sha256Of(Buffer.from(JSON.stringify([source, mediaDigest, first, last, timeStart, timeEnd, handles, exact])));
}

/** Returns the clip of a cut that is there, is being made or has just failed; null when it has to be asked for. */
export function findClip(manager: EntityManager, jobId: string, digest: string): Promise<ClipEntity | null> {
  return manager
    .createQueryBuilder(ClipEntity, 'c')
    .where('c.jobId = :jobId AND c.digest = :digest', { jobId, digest })
    .andWhere('(c.timeExpires IS NULL OR c.timeExpires > now())')
    .getOne();
}

/**
 * Asks for a clip, unless somebody has. No deletion or erasure of the job ends before the caller's transaction does. Throws
 * NOT_FOUND for a job that is gone, CONFLICT beyond what a workspace may have.
 */
export async function requestClip(
  manager: EntityManager,
  asked: Pick<ClipEntity, 'id' | 'workspaceId' | 'jobId' | 'cut'>,
): Promise<void> {
  const { workspaceId, jobId, cut } = asked;
  const there: unknown[] = await manager.query('SELECT 1 FROM jobs WHERE id = $1 AND time_deleted IS NULL FOR SHARE', [
    jobId,
  ]);
  if (there.length === 0) throw new AditError('NOT_FOUND', `There is no job ${jobId}.`);
  await refuseBeyond(manager, {
    kind: 'clips',
    ownerId: workspaceId,
    most: MAX_OPEN,
    rows: `SELECT 1 FROM clips WHERE workspace_id = $1 AND state IN ('waiting', 'processing')`,
    message: `${MAX_OPEN} clips of this workspace are being cut; wait for one of them.`,
  });
  await refuseBeyondKept(manager, workspaceId);
  const digest = clipDigest(cut);
  await expireClips(manager, 'c.job_id = $1 AND c.digest = $2 AND c.time_expires <= now()', [jobId, digest]);
  await manager
    .createQueryBuilder()
    .insert()
    .into(ClipEntity)
    .values(columns<ClipEntity>({ ...asked, digest }))
    .orIgnore()
    .execute();
}

async function refuseBeyondKept(manager: EntityManager, workspaceId: string): Promise<void> {
  const [kept]: { count: number; bytes: string }[] = await manager.query(
    `SELECT count(*)::int AS count, coalesce(sum(size), 0) AS bytes FROM clips
      WHERE workspace_id = $1 AND state = 'completed' AND time_expires > now()`,
    [workspaceId],
  );
  if (kept === undefined || (kept.count < MAX_KEPT && Number(kept.bytes) < MAX_KEPT_BYTES)) return;
  throw tooMany(
    `The clips of this workspace are ${kept.count} and have ${Math.floor(Number(kept.bytes) / GIB)} GiB; it may have ${MAX_KEPT} and ${MAX_KEPT_BYTES / GIB} GiB. Each goes a day after it was cut.`,
  );
}

/** Clips of a workspace that have not ended. */
export async function openClips(manager: EntityManager, workspaceId: string): Promise<number> {
  const [row]: [{ count: number }] = await manager.query(
    `SELECT count(*)::int AS count FROM clips c WHERE c.workspace_id = $1 AND ${OPEN}`,
    [workspaceId],
  );
  return row.count;
}

/** Ends a clip with its file; false when nobody waits for it any more, or another attempt has begun. */
export function completeClip(
  db: Pick<EntityManager, 'query'>,
  held: Held,
  { objectKey, mimeType, size }: { objectKey: string; mimeType: string; size: number },
): Promise<boolean> {
  return updateHeld(
    db,
    held,
    `state = 'completed', lease_until = NULL, object_key = $1, mime_type = $2, size = $3,
     time_expires = now() + make_interval(secs => $4)`,
    [objectKey, mimeType, size, LIFETIME_SECONDS.clip],
  );
}

/** Ends a clip that cannot be made. */
export async function failClip(
  db: Pick<EntityManager, 'query'>,
  held: Held,
  { code, message }: { code: ErrorCode; message: string },
): Promise<void> {
  await updateHeld(
    db,
    held,
    `state = 'failed', lease_until = NULL, error_code = $1, error_msg = $2, time_expires = now() + make_interval(secs => $3)`,
    [code, message, FAILURE_SECONDS],
  );
}

/**
 * Takes their clips from jobs; those that are being made find that they are gone. Returns the prefixes of what is to be removed.
 */
export async function removeClips(manager: EntityManager, jobs: readonly string[]): Promise<string[]> {
  const gone = returned<{ jobId: string; id: string; isOpen: boolean }>(
    await manager.query(
      `DELETE FROM clips c WHERE job_id = ANY($1::uuid[]) RETURNING job_id AS "jobId", id, ${OPEN} AS "isOpen"`,
      [jobs],
    ),
  );
  // Whoever cuts one may die between storing it and seeing that it is gone.
  const open = gone.filter(({ isOpen }) => isOpen).map(({ jobId, id }) => clipFolder(jobId, id));
  await noteRemovals(manager, open, { again: true });
  return gone.map(({ jobId, id }) => clipFolder(jobId, id));
}

/** SQL: the clip `c` has not ended. */
const OPEN = `c.state IN ('waiting', 'processing')`;

/** SQL: the time of the clip `c` is over at `$1`, or nobody cuts it and nobody waits for it. */
const OVER = `(c.time_expires < $1::timestamptz OR ${OPEN} AND (c.lease_until IS NULL OR c.lease_until < $1::timestamptz) AND (
  c.time_created < $1::timestamptz - make_interval(secs => ${FORGOTTEN_SECONDS})
  OR NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = c.job_id AND j.time_deleted IS NULL)))`;

/** Returns clips whose time is over at `now`. */
export function expiredClips(db: Pick<EntityManager, 'query'>, now: Date, limit: number): Promise<{ id: string }[]> {
  // Each part by an index of its own.
  return db.query(
    `(SELECT c.id FROM clips c WHERE c.time_expires < $1::timestamptz AND c.state IN ('completed', 'failed')
       ORDER BY c.time_expires LIMIT $2)
     UNION ALL
     (SELECT c.id FROM clips c WHERE ${OPEN} AND ${OVER} LIMIT $2) LIMIT $2`,
    [now, limit],
  );
}

/** Deletes a clip whose time is over at `now`, and notes the removal of its files. */
export function expireClip(db: Pick<EntityManager, 'query'>, id: string, now: Date): Promise<void> {
  return expireClips(db, `${OVER} AND c.id = $2`, [now, id]);
}

async function expireClips(db: Pick<EntityManager, 'query'>, where: string, values: unknown[]): Promise<void> {
  await db.query(
    `WITH gone AS (DELETE FROM clips c WHERE ${where} RETURNING c.job_id, c.id, ${OPEN} AS is_open)
     ${notedRemovals(`SELECT concat('jobs/', job_id, '/clips/', id, '/'), is_open, now() FROM gone`)}`,
    values,
  );
}
