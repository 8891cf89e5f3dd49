import type { EntityManager } from 'typeorm';
import { ChunkAnalysisEntity, ChunkEntity } from '@adit/database';
import { enqueue } from './outbox.js';

/** Ends analyses of a chunk badly: the modules that need them will fail, the others go on. */
export async function failAnalyses(
  manager: EntityManager,
  job: { jobId: string; traceparent: string | null },
  chunkId: string,
  digests: string[],
  error: string,
): Promise<void> {
  const { jobId, traceparent } = job;
  await enqueue(
    manager,
    digests.map((analysisDigest) => ({
      topic: 'chunks.analysed' as const,
      key: jobId,
      jobId,
      traceparent,
      payload: { chunkId, analysisDigest, units: null, error },
    })),
  );
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
