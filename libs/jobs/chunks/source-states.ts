/**
 * Transitions of sources, with the statements that write the table `job_sources`; `dispatchWork` gives sources out.
 *
 *     waiting → requested → planned | failed
 *        ↑          │          │
 *        └──────────┴──────────┘              a retry
 *
 * A live stream is requested while it runs, and planned when it has ended.
 */
import type { MediaFacts } from '@adit/contracts';
import { isActive, isLive, JobSourceEntity, returned } from '@adit/database';
import { restartAttempts } from '@adit/leases';
import type { EntityManager } from 'typeorm';
import { listensOf } from './requests.js';
import { CHUNK_KIND } from './units.js';

interface KnownMedia {
  digest: string;
  facts: MediaFacts;
}

/** Notes the media of a source before its plan is complete, so that the media is in use. */
export async function setSourceMedia(
  manager: EntityManager,
  jobId: string,
  index: number,
  { digest: mediaDigest, facts }: KnownMedia,
): Promise<void> {
  await manager.update(JobSourceEntity, { jobId, index }, { mediaDigest, facts });
}

/**
 * Notes the media of a live stream that begins. Its lease is that of its recorder, kept elsewhere: nobody opens the
 * source as a file.
 */
export async function setLiveSource(
  manager: EntityManager,
  jobId: string,
  index: number,
  { digest: mediaDigest, facts }: KnownMedia,
): Promise<void> {
  const state = 'requested' as const;
  await manager.update(JobSourceEntity, { jobId, index }, { state, mediaDigest, facts, leaseUntil: null });
}

export async function setSourcePlanned(
  manager: EntityManager,
  jobId: string,
  index: number,
  { digest, facts }: KnownMedia,
): Promise<void> {
  // Locks the media like `holdMedia`, also where this statement is a transaction of its own.
  await manager.query(
    `WITH held AS (
       SELECT 1 FROM media m JOIN jobs j ON j.workspace_id = m.workspace_id
        WHERE j.id = $1 AND m.digest = $3 FOR KEY SHARE OF m)
     UPDATE job_sources SET state = 'planned', media_digest = $3, facts = $4::jsonb, lease_until = NULL, error = NULL
      WHERE job_id = $1 AND index = $2 AND (SELECT count(*) FROM held) >= 0`,
    [jobId, index, digest, JSON.stringify(facts)],
  );
}

/**
 * Marks all images of a job as planned. `media` is that of the opened image; the others are probed when their chunk
 * is decoded. An opened image that no module takes (`unwanted`) is no unit of its chunk.
 */
export async function setImagesPlanned(
  manager: EntityManager,
  jobId: string,
  { index, digest, facts, unwanted }: KnownMedia & { index: number; unwanted: boolean },
): Promise<void> {
  await manager.query(
    `UPDATE job_sources SET state = 'planned', lease_until = NULL,
            media_digest = CASE WHEN index = $2::int THEN $3 ELSE media_digest END,
            facts = CASE WHEN index = $2::int THEN $4::jsonb ELSE facts END
      WHERE job_id = $1 AND (state <> 'failed' OR index = $5)`,
    [jobId, unwanted ? null : index, digest, JSON.stringify(facts), index],
  );
}

/** Returns the addresses of the sources that failed: one, or none when the job is gone. */
export async function setSourceFailed(
  manager: EntityManager,
  jobId: string,
  index: number,
  error: string,
): Promise<string[]> {
  const failed = returned<{ uri: string }>(
    await manager.query(
      `UPDATE job_sources SET state = 'failed', error = $3, lease_until = NULL WHERE job_id = $1 AND index = $2
       RETURNING uri`,
      [jobId, index, error],
    ),
  );
  return failed.map(({ uri }) => uri);
}

export interface LostSource {
  jobId: string;
  traceparent: string | null;
  index: number;
  listens: boolean;
}

/** Renews the lease of sources of running jobs whose lease ran out; returns them, to be requested again. */
export async function renewSourceLeases(manager: EntityManager, leaseSeconds: number): Promise<LostSource[]> {
  return returned(
    await manager.query(
      `UPDATE job_sources s SET lease_until = now() + make_interval(secs => $1) FROM jobs j
        WHERE j.id = s.job_id AND ${isLive('j')} AND s.state = 'requested' AND s.lease_until <= now()
          AND j.media_type <> 'videostream'
       RETURNING s.job_id AS "jobId", s.index, j.traceparent, ${listensOf('s.job_id')} AS listens`,
      [leaseSeconds],
    ),
  );
}

/** SQL: the indices of the sources of job `$1` that lie in a chunk of pictures. */
export const PICTURES = `
  SELECT generate_series(c.source_start, c.source_end - 1) FROM chunks c WHERE c.job_id = $1 AND ${CHUNK_KIND} = 'image'`;

/**
 * Resets sources for a retry: those that failed or were being opened wait again; pictures stay planned, their chunk
 * is analysed again.
 */
export async function reopenFailed(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE job_sources s SET error = NULL, ${restartAttempts('s')}, lease_until = NULL,
            state = CASE WHEN s.index IN (${PICTURES}) THEN 'planned' ELSE 'waiting' END
      WHERE job_id = $1 AND state IN ('failed', 'requested')`,
    [jobId],
  );
}

/** Resets the streams of a live job for a retry: one that was opened has ended, and cannot be opened again. */
export async function reopenStreams(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE job_sources s SET error = NULL, ${restartAttempts('s')}, lease_until = NULL,
            state = CASE WHEN facts IS NULL THEN 'waiting' ELSE 'planned' END
      WHERE job_id = $1 AND state IN ('failed', 'requested')`,
    [jobId],
  );
}

/**
 * Requests planned sources to be opened again for running modules that have no fold of them: they had failed when the
 * sources were planned, and run again. One picture stands for all of an image job. Returns true when there were any.
 */
export async function reopenUnplanned(manager: EntityManager, jobId: string): Promise<boolean> {
  const reopened = returned(
    await manager.query(
      `UPDATE job_sources s SET state = 'waiting', ${restartAttempts('s')}, lease_until = NULL
         FROM jobs j
        WHERE j.id = $1 AND s.job_id = $1 AND s.state = 'planned' AND j.media_type <> 'videostream'
          AND (j.media_type <> 'image' OR s.index = (
            SELECT min(o.index) FROM job_sources o WHERE o.job_id = $1 AND o.state = 'planned'))
          AND EXISTS (
            SELECT 1 FROM job_modules m
             WHERE m.job_id = $1 AND ${isActive('m')} AND NOT EXISTS (
               SELECT 1 FROM folds f WHERE f.job_id = $1 AND f.module_id = m.module_id
                  AND f.source_index = CASE j.media_type WHEN 'image' THEN -1 ELSE s.index END))
       RETURNING s.index`,
      [jobId],
    ),
  );
  return reopened.length > 0;
}
