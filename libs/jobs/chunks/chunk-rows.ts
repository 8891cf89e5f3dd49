import { storedExtent, type Span, type UnitOutcome } from '@adit/contracts';
import type { ChunkAnalysisState, ChunkState } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { LockedJob } from '../state/locked-job.js';
import { enqueue } from '@adit/outbox';
import { insertChunkRows } from './chunk-states.js';
import { chunkRequest } from './requests.js';
import { dispatchSeconds } from '@adit/leases';

/** Concurrency slot with which a source was opened, if it goes on to the first chunk, and for how long. */
export type Slot = { leaseSeconds: number } | null;

export interface PlannedChunk extends Span {
  id: string;
  digests: Set<string>;
}

interface ChunkRows {
  /** Cached outcome of an analysis of a chunk, or null. Default: nothing is cached. */
  known?: (chunk: PlannedChunk, digest: string) => UnitOutcome[] | null;
  /** The plan is incomplete: its chunks are not dispatched yet. */
  drafted?: boolean;
  slot?: Slot;
}

/**
 * Writes chunks behind those that their sources have, and the analyses that each needs. Chunks whose results are all
 * cached are done at once. Chunks of an earlier plan stay as they are; their results are found in the cache.
 */
export async function insertChunks(
  manager: EntityManager,
  { job: { id: jobId, traceparent } }: LockedJob,
  chunks: PlannedChunk[],
  { known = () => null, drafted = false, slot = null }: ChunkRows,
): Promise<void> {
  const analyses = chunks.flatMap((chunk) =>
    [...chunk.digests].map((digest) => {
      const units = known(chunk, digest);
      const state: ChunkAnalysisState = units === null ? 'waiting' : 'done';
      return { chunk_id: chunk.id, digest, state, units };
    }),
  );
  const unfinished = new Set(analyses.filter(({ state }) => state === 'waiting').map(({ chunk_id: id }) => id));
  const first = slot === null ? undefined : chunks.find(({ id }) => unfinished.has(id));
  const [{ planned }]: [{ planned: number }] = await manager.query(
    'SELECT coalesce(max(position) + 1, 0) AS planned FROM chunks WHERE job_id = $1',
    [jobId],
  );
  const waiting: ChunkState = drafted ? 'drafted' : 'planned';
  const rows = chunks.map((chunk, at) => {
    const { id, sourceStart, sourceEnd } = chunk;
    const interval = storedExtent(chunk.extent);
    const position = planned + at;
    const state: ChunkState = chunk === first ? 'requested' : unfinished.has(id) ? waiting : 'done';
    const seconds = slot !== null && chunk === first ? dispatchSeconds(slot) : null;
    return { id, position, source_start: sourceStart, source_end: sourceEnd, interval, state, lease_seconds: seconds };
  });
  await insertChunkRows(manager, jobId, rows, analyses);
  if (first === undefined) return;
  const listens = chunks.some(({ extent }) => extent.kind === 'audio');
  await enqueue(manager, [chunkRequest({ jobId, traceparent, listens }, first)]);
}
