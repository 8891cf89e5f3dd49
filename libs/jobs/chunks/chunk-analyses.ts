import type { EntityManager } from 'typeorm';
import { reasonOf } from '../state/job-errors.js';
import { reanalyse } from './chunk-states.js';
import { forgetObservations } from './observation-cache.js';
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
  /** Key of the missing object. */
  objectKey: string;
}

/**
 * Observations that a fold wanted are gone: no later job finds them, and their chunk is analysed again; a live stream's is
 * lost.
 */
export async function repeatLost(
  manager: EntityManager,
  { id: jobId, workspaceId }: { id: string; workspaceId: string },
  { chunkId, digest, objectKey }: LostObservations,
): Promise<void> {
  await forgetObservations(manager, { jobId, workspaceId, chunkId, digest, objectKey });
  await reanalyse(manager, chunkId, digest);
}
