import type { EntityManager } from 'typeorm';
import type { LockedJob } from '../state/locked-job.js';
import {
  chunksOfFailed,
  repeatChunks,
  repeatExpiredAnalyses,
  repeatFailedAnalyses,
  repeatFailedPictures,
} from '../chunks/chunks-of-retried-job.js';
import { PICTURES, reopenFailed, reopenUnplanned } from '../chunks/source-states.js';
import { PASSED, restartFolds } from '../chunks/fold-states.js';
import { removeOfFolds } from '../results/result-rows.js';
import { numberAnew } from '../results/dense-numbers.js';

/** Modules of a job that were refused a source, or that went on without a chunk that could not be analysed. */
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
 * Plans the missing work of a job's running modules. Lost work gets its attempts back, refused sources are opened
 * again, and folds that went on without a chunk begin anew. Completed work stays.
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

/** Restarts folds that have passed a chunk which is analysed again, and takes back their results. */
async function beginFoldsAnew(manager: EntityManager, locked: LockedJob, modules: string[]): Promise<void> {
  const jobId = locked.job.id;
  const folds = await restartFolds(manager, jobId, modules);
  if (folds.length === 0) return;
  await removeOfFolds(manager, jobId, folds);
  await numberAnew(locked);
}
