import type { EntityManager } from 'typeorm';
import type { LockedJob } from '../state/locked-job.js';
import { returned } from '@adit/database';
import { REMEMBERED } from '../chunks/observation-cache.js';
import { CHUNK_KIND, EXTENT_NAME } from '../chunks/units.js';
import { restartAttempts } from '@adit/leases';
import { reopenUnplanned } from '../chunks/unplanned.js';
import { numberAnew } from '../state/dense-numbers.js';

/**
 * SQL: the chunks of job `$1` in which a source failed, those of pictures or all. A job has ten thousand pictures: the failed ones
 * become one multirange, in which each chunk is found by bisection. There is no join that the planner could do the slow way, as
 * it does where statistics are old, or where there are none, as in the embedded database.
 */
const chunksOfFailed = (which = 'TRUE') => `ARRAY(
  SELECT c.id FROM chunks c
   WHERE c.job_id = $1 AND ${which} AND int4range(c.source_start, c.source_end) && (
     SELECT coalesce(range_agg(int4range(s.index, s.index + 1)), '{}') FROM job_sources s
      WHERE s.job_id = $1 AND s.state = 'failed'))`;

/** SQL: the indices of the sources of job `$1` that lie in a chunk of pictures. */
const PICTURES = `
  SELECT generate_series(c.source_start, c.source_end - 1) FROM chunks c WHERE c.job_id = $1 AND ${CHUNK_KIND} = 'image'`;

/** Chunks of a fold `f` that it has passed. */
const PASSED = `jsonb_array_elements_text(f.chunk_ids) WITH ORDINALITY AS passed (id, place)
  JOIN chunk_analyses a ON a.chunk_id = passed.id::uuid AND passed.place <= f.next_chunk
  JOIN job_modules m ON m.job_id = f.job_id AND m.module_id = f.module_id
       AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses))`;

/** The modules of a job that a source was refused to, or that went on without a chunk that could not be looked at. */
export async function incompleteModules(manager: EntityManager, jobId: string): Promise<string[]> {
  const rows: { module_id: string }[] = await manager.query(
    `SELECT module_id FROM job_modules
      WHERE job_id = $1 AND EXISTS (
        SELECT 1 FROM job_sources s WHERE s.job_id = $1 AND s.state = 'failed' AND s.index NOT IN (${PICTURES}))
     UNION
     SELECT f.module_id FROM folds f CROSS JOIN ${PASSED}
      WHERE f.job_id = $1 AND (a.state = 'failed' OR a.chunk_id = ANY(${chunksOfFailed()}))`,
    [jobId],
  );
  return rows.map((row) => row.module_id);
}

/**
 * Plans what the running modules of a job miss: lost work gets its attempts back, what was refused is opened again, and a fold
 * that went on without a chunk begins anew. What is done stays done.
 */
export async function planRetry(manager: EntityManager, locked: LockedJob): Promise<void> {
  const jobId = locked.job.id;
  const active = locked.activeModules.map(({ moduleId }) => moduleId);
  // A picture that was refused is looked at again with its chunk; a film or recording is opened again.
  await manager.query(
    `UPDATE chunk_analyses a SET state = 'waiting', ${restartAttempts('a')}, units = NULL, lease_until = NULL
      WHERE a.job_id = $1 AND a.state = 'done' AND a.chunk_id = ANY(${chunksOfFailed(`${CHUNK_KIND} = 'image'`)})`,
    [jobId],
  );
  await manager.query(
    `UPDATE job_sources s SET error = NULL, ${restartAttempts('s')}, lease_until = NULL,
            state = CASE WHEN s.index IN (${PICTURES}) THEN 'planned' ELSE 'waiting' END
      WHERE job_id = $1 AND state IN ('failed', 'requested')`,
    [jobId],
  );
  await manager.query(
    `UPDATE chunk_analyses SET state = 'waiting', ${restartAttempts('chunk_analyses')}, error = NULL, lease_until = NULL
      WHERE job_id = $1 AND state IN ('failed', 'requested')`,
    [jobId],
  );
  await beginFoldsAnew(manager, locked, active);
  await manager.query(SWEPT, [jobId, locked.job.workspaceId, active]);
  await manager.query(
    `UPDATE chunks SET state = 'planned', ${restartAttempts('chunks')}, lease_until = NULL, packs = NULL
      WHERE job_id = $1 AND state <> 'drafted'
        AND EXISTS (SELECT 1 FROM chunk_analyses a WHERE a.chunk_id = chunks.id AND a.state = 'waiting')`,
    [jobId],
  );
  await reopenUnplanned(manager, jobId);
}

/** Asks again for analyses that a fold is still to read and whose observations have expired since they were made. */
const SWEPT = `
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

/** Folds of the modules that have passed a chunk which is looked at again; what they emitted is taken back. */
async function beginFoldsAnew(manager: EntityManager, locked: LockedJob, modules: string[]): Promise<void> {
  const jobId = locked.job.id;
  const folds = returned<{ module_id: string; source_index: number }>(
    await manager.query(
      `UPDATE folds f SET next_chunk = 0, state = NULL, closed = false
        WHERE f.job_id = $1 AND f.module_id = ANY($2::text[])
          AND EXISTS (SELECT 1 FROM ${PASSED} WHERE a.state = 'waiting')
       RETURNING f.module_id, f.source_index`,
      [jobId, modules],
    ),
  );
  if (folds.length === 0) return;
  const taken = [folds.map((fold) => fold.module_id), folds.map((fold) => fold.source_index)];
  for (const table of ['segments', 'summaries']) {
    // A negative source is the fold of all images. One statement, however many sources and modules there are.
    await manager.query(
      `DELETE FROM ${table} t USING unnest($2::text[], $3::int[]) AS f (module_id, source_index)
        WHERE t.job_id = $1 AND t.module_id = f.module_id AND (f.source_index < 0 OR t.source_index = f.source_index)`,
      [jobId, ...taken],
    );
  }
  await numberAnew(locked);
}
