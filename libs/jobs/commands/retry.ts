import type { JobEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { LockedJob } from '../state/locked-job.js';
import {
  chunksOfFailed,
  repeatChunks,
  repeatExpiredAnalyses,
  repeatFailedAnalyses,
  repeatFailedPictures,
  interruptAnalyses,
} from '../chunks/chunks-of-retried-job.js';
import { PICTURES, reopenFailed, reopenStreams, reopenUnplanned } from '../chunks/source-states.js';
import { failLostLive } from '../chunks/lost-live-chunks.js';
import { PASSED, restartFolds } from '../chunks/fold-states.js';
import { removeOfFolds } from '../results/result-rows.js';
import { numberAnew } from '../results/dense-numbers.js';
import { restartStreamsOfJob } from '@adit/streams';

/**
 * Modules of a job that were refused a source, or that went on without a chunk that could not be analysed. What a module
 * missed of a live stream cannot be made up for.
 */
export async function incompleteModules(
  manager: EntityManager,
  { id: jobId, mediaType }: Pick<JobEntity, 'id' | 'mediaType'>,
): Promise<string[]> {
  if (mediaType === 'videostream') return [];
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
  if (locked.job.mediaType === 'videostream') return planStreamRetry(manager, jobId);
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

/** Has a live job go on with what was analysed of its stream. What was not is lost: its pictures have gone by. */
async function planStreamRetry(manager: EntityManager, jobId: string): Promise<void> {
  await reopenStreams(manager, jobId);
  await restartStreamsOfJob(manager, jobId);
  await interruptAnalyses(manager, jobId);
  await repeatChunks(manager, jobId);
  await failLostLive(manager, { jobId });
}
