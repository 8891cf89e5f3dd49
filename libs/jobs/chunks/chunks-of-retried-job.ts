import { restartAttempts } from '@adit/leases';
import type { EntityManager } from 'typeorm';
import { REMEMBERED } from './observation-cache.js';
import { CHUNK_KIND, EXTENT_NAME } from './units.js';

/**
 * SQL: the chunks of job `$1` in which a source failed, those of pictures or all. A job has up to ten thousand
 * pictures: the failed ones become one multirange, in which each chunk is found by bisection. A join would be planned
 * badly where statistics are old or missing, as in the embedded database.
 */
export const chunksOfFailed = (which = 'TRUE') => `ARRAY(
  SELECT c.id FROM chunks c
   WHERE c.job_id = $1 AND ${which} AND int4range(c.source_start, c.source_end) && (
     SELECT coalesce(range_agg(int4range(s.index, s.index + 1)), '{}') FROM job_sources s
      WHERE s.job_id = $1 AND s.state = 'failed'))`;

/** Resets pictures that failed: they are analysed again with their chunk. Call it before the sources are reopened. */
export async function repeatFailedPictures(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE chunk_analyses a SET state = 'waiting', ${restartAttempts('a')}, units = NULL, lease_until = NULL
      WHERE a.job_id = $1 AND a.state = 'done' AND a.chunk_id = ANY(${chunksOfFailed(`${CHUNK_KIND} = 'image'`)})`,
    [jobId],
  );
}

/** Resets analyses that failed or were in progress. */
export async function repeatFailedAnalyses(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE chunk_analyses SET state = 'waiting', ${restartAttempts('chunk_analyses')}, error = NULL, lease_until = NULL
      WHERE job_id = $1 AND state IN ('failed', 'requested')`,
    [jobId],
  );
}

/** Resets analyses of a live stream that were in progress; a failed one cannot be repeated. */
export async function interruptAnalyses(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE chunk_analyses SET state = 'waiting', lease_until = NULL WHERE job_id = $1 AND state = 'requested'`,
    [jobId],
  );
}

/** Resets analyses that a fold of these modules has yet to read and whose observations have expired. */
export async function repeatExpiredAnalyses(
  manager: EntityManager,
  { id: jobId, workspaceId }: { id: string; workspaceId: string },
  moduleIds: string[],
): Promise<void> {
  await manager.query(EXPIRED, [jobId, workspaceId, moduleIds]);
}

const EXPIRED = `
  UPDATE chunk_analyses a SET state = 'waiting', ${restartAttempts('a')}, units = NULL
    FROM chunks c, folds f, job_modules m
   WHERE a.job_id = $1 AND a.state = 'done' AND c.id = a.chunk_id
     AND f.job_id = $1 AND f.module_id = ANY($3::text[]) AND NOT f.closed
     AND m.job_id = $1 AND m.module_id = f.module_id
     AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses))
     AND EXISTS (SELECT 1 FROM jsonb_array_elements_text(f.chunk_ids) WITH ORDINALITY AS next (id, place)
                  WHERE next.id = a.chunk_id::text AND next.place > f.next_chunk)
     AND EXISTS (
       SELECT 1 FROM jsonb_array_elements(a.units) u
         JOIN job_sources s ON s.job_id = $1 AND s.index = (u ->> 'sourceIndex')::int
        WHERE u ->> 'observations' LIKE 'media/%' AND NOT EXISTS (
          SELECT 1 FROM observations o
           WHERE o.workspace_id = $2 AND o.media_digest = s.media_digest AND o.analysis_digest = a.digest
             AND o.interval = ${EXTENT_NAME} AND o.object_key = u ->> 'observations' AND ${REMEMBERED}))`;

/** Dispatches again chunks with a waiting analysis. */
export async function repeatChunks(manager: EntityManager, jobId: string): Promise<void> {
  await manager.query(
    `UPDATE chunks SET state = 'planned', ${restartAttempts('chunks')}, lease_until = NULL, packs = NULL
      WHERE job_id = $1 AND state <> 'drafted'
        AND EXISTS (SELECT 1 FROM chunk_analyses a WHERE a.chunk_id = chunks.id AND a.state = 'waiting')`,
    [jobId],
  );
}
