import type { EntityManager } from 'typeorm';
import { ChunkAnalysisEntity, ChunkEntity, isActive, isLive, returned } from '@adit/database';
import { reasonOf } from '../state/job-errors.js';
import { EXTENT_NAME } from './units.js';
import { enqueue } from '@adit/outbox';

/**
 * Ends analyses of a chunk badly: the modules that need them go on without the chunk, or end when the same fails `everyChunk`.
 */
export async function failAnalyses(
  manager: EntityManager,
  job: { jobId: string; traceparent: string | null },
  chunkId: string,
  digests: string[],
  error: string,
  everyChunk = false,
): Promise<void> {
  const { jobId, traceparent } = job;
  await enqueue(
    manager,
    digests.map((analysisDigest) => ({
      topic: 'chunks.analysed' as const,
      key: jobId,
      jobId,
      traceparent,
      payload: { chunkId, analysisDigest, units: null, error: reasonOf(error), ...(everyChunk && { everyChunk }) },
    })),
  );
}

export interface LostObservations {
  chunkId: string;
  digest: string;
  /** Where they lay. */
  objectKey: string;
}

/**
 * Observations that a fold wanted are gone: nobody finds them any more, and their chunk is looked at again. The attempt that made
 * them stays counted, so that what gets lost each time ends.
 */
export async function lookAgain(
  manager: EntityManager,
  { id: jobId, workspaceId }: { id: string; workspaceId: string },
  { chunkId, digest, objectKey }: LostObservations,
): Promise<void> {
  await manager.query(
    `DELETE FROM observations o USING chunks c, job_sources s
      WHERE c.id = $1 AND s.job_id = $2 AND s.index >= c.source_start AND s.index < c.source_end
        AND o.workspace_id = $3 AND o.media_digest = s.media_digest AND o.interval = ${EXTENT_NAME}
        AND o.analysis_digest = $4 AND o.object_key = $5`,
    [chunkId, jobId, workspaceId, digest, objectKey],
  );
  const asked = { chunkId, digest, state: 'done' as const };
  await manager.update(ChunkAnalysisEntity, asked, { state: 'waiting', units: null });
  // One that is still worked on for others is decoded again after them.
  await manager.update(ChunkEntity, { id: chunkId, state: 'done' }, { state: 'planned' });
}

/** Chunks of jobs that run. */
const OF_RUNNING = `j.id = c.job_id AND ${isLive('j')}`;
/** A module that runs stands on the analysis. */
const WANTED = `EXISTS (
  SELECT 1 FROM job_modules m, jsonb_each_text(m.analyses) n
   WHERE m.job_id = a.job_id AND ${isActive('m')} AND n.value = a.digest)`;

/**
 * Takes on what the end of their last analysis left where it stood. A process that dies between the outcome of an analysis
 * and the end of its chunk would keep the credit for as long as the job runs; an analysis that came to wait again at the very
 * moment its chunk ended would wait for ever. Returns how many chunks that were.
 */
export async function takeChunksOn(manager: EntityManager): Promise<number> {
  // One that is still at work, also for a module that has ended, reads the chunk's packs and ends it.
  const ended = returned(
    await manager.query(
      `UPDATE chunks c SET state = 'done', packs = NULL, lease_until = NULL FROM jobs j
        WHERE ${OF_RUNNING} AND c.state = 'decoded' AND NOT EXISTS (
          SELECT 1 FROM chunk_analyses a WHERE a.chunk_id = c.id AND a.state = 'requested')
       RETURNING c.id`,
    ),
  );
  const waiting = returned(
    await manager.query(
      `UPDATE chunks c SET state = 'planned' FROM jobs j, chunk_analyses a
        WHERE ${OF_RUNNING} AND c.state = 'done'
          AND a.job_id = j.id AND a.chunk_id = c.id AND a.state = 'waiting' AND ${WANTED}
       RETURNING c.id`,
    ),
  );
  return ended.length + waiting.length;
}

/** The frame packs of a chunk are gone: it is decoded again for the analyses that still miss them. */
export async function redecode(manager: EntityManager, chunkId: string): Promise<void> {
  await manager.update(ChunkAnalysisEntity, { chunkId, state: 'requested' }, { state: 'waiting', leaseUntil: null });
  await manager.update(
    ChunkEntity,
    { id: chunkId, state: 'decoded' },
    { state: 'planned', packs: null, leaseUntil: null },
  );
}
