import type { EntityManager } from 'typeorm';
import type { LockedJob } from '../state/locked-job.js';
import { returned } from '@adit/database';
import {
  chunksOfFailed,
  repeatChunks,
  repeatExpiredAnalyses,
  repeatFailedAnalyses,
  repeatFailedPictures,
} from '../chunks/retried-chunks.js';
import { PICTURES, reopenFailed, reopenUnplanned } from '../chunks/source-states.js';
import { numberAnew } from '../state/dense-numbers.js';

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
  // A picture that was refused is analysed again with its chunk; a film or recording is opened again.
  await repeatFailedPictures(manager, jobId);
  await reopenFailed(manager, jobId);
  await repeatFailedAnalyses(manager, jobId);
  await beginFoldsAnew(manager, locked, active);
  await repeatExpiredAnalyses(manager, locked.job, active);
  await repeatChunks(manager, jobId);
  await reopenUnplanned(manager, jobId);
}

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
