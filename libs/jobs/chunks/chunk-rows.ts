import { storedExtent, type Span, type UnitOutcome } from '@adit/contracts';
import type { ChunkAnalysisState, ChunkState } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { LockedJob } from '../state/locked-job.js';
import { enqueue } from '@adit/outbox';
import { chunkRequest } from './requests.js';
import { dispatchSeconds } from '@adit/leases';

/** Chunks that one transaction writes, moves or removes. */
export const CHUNKS_PER_PAGE = 500;

/** Whether the credit with which a source was opened goes on to its first chunk, and for how long. */
export type Credit = { leaseSeconds: number } | null;

export interface PlannedChunk extends Span {
  id: string;
  digests: Set<string>;
}

interface ChunkRows {
  /** What an analysis is known to have made of a chunk, or null. Default: nothing is known. */
  known?: (chunk: PlannedChunk, digest: string) => UnitOutcome[] | null;
  /** Their plan is not whole with them: nobody is to be given them yet. */
  drafted?: boolean;
  credit?: Credit;
}

/**
 * Writes chunks behind those that their sources have, and what each has to be analysed with. Those of which everything is
 * known are done at once. Chunks of an earlier plan stay as they are; what is the same in these is known from them.
 */
export async function insertChunks(
  manager: EntityManager,
  { job: { id: jobId, traceparent } }: LockedJob,
  chunks: PlannedChunk[],
  { known = () => null, drafted = false, credit = null }: ChunkRows,
): Promise<void> {
  const analyses = chunks.flatMap((chunk) =>
    [...chunk.digests].map((digest) => {
      const units = known(chunk, digest);
      const state: ChunkAnalysisState = units === null ? 'waiting' : 'done';
      return { chunk_id: chunk.id, digest, state, units };
    }),
  );
  const unfinished = new Set(analyses.filter(({ state }) => state === 'waiting').map(({ chunk_id: id }) => id));
  const first = credit === null ? undefined : chunks.find(({ id }) => unfinished.has(id));
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
    const seconds = credit !== null && chunk === first ? dispatchSeconds(credit) : null;
    return { id, position, source_start: sourceStart, source_end: sourceEnd, interval, state, lease_seconds: seconds };
  });
  await insertRows(manager, INSERT_CHUNKS, jobId, rows);
  await insertRows(manager, INSERT_ANALYSES, jobId, analyses);
  if (first === undefined) return;
  const listens = chunks.some(({ extent }) => extent.kind === 'audio');
  await enqueue(manager, [chunkRequest({ jobId, traceparent, listens }, first)]);
}

/** The values of many rows go as one parameter. */
async function insertRows(manager: EntityManager, insert: string, jobId: string, rows: object[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 1000) {
    await manager.query(insert, [jobId, JSON.stringify(rows.slice(at, at + 1000))]);
  }
}

const INSERT_CHUNKS = `
  INSERT INTO chunks (id, job_id, position, source_start, source_end, interval, state, lease_until)
  SELECT id, $1, position, source_start, source_end, nullif(interval, 'null'), state,
         now() + make_interval(secs => lease_seconds)
    FROM jsonb_to_recordset($2::jsonb) AS r (id uuid, position int, source_start int, source_end int, interval jsonb,
                                             state text, lease_seconds float8)`;

const INSERT_ANALYSES = `
  INSERT INTO chunk_analyses (chunk_id, digest, job_id, state, units)
  SELECT chunk_id, digest, $1, state, nullif(units, 'null')
    FROM jsonb_to_recordset($2::jsonb) AS r (chunk_id uuid, digest text, state text, units jsonb)`;
