/**
 * Chunks of live streams that would have to be decoded again: nobody can, as the pictures have gone by. Their analyses
 * end badly, which the job's errors say with the interval.
 */
import type { EntityManager } from 'typeorm';
import { isLive } from '@adit/database';
import { failAnalyses } from './chunk-analyses.js';
import { CHUNKS_PER_PAGE } from './chunk-states.js';

/** Seconds within which the last chunks of a stream that a client has stopped are analysed. */
const STOP_SECONDS = 30;
const GONE = 'a live stream cannot be decoded again';
const TOO_LATE = `not analysed within ${STOP_SECONDS} s of the end of the stream, which was stopped`;

interface LostRow {
  jobId: string;
  traceparent: string | null;
  chunkId: string;
  digests: string[];
}

/**
 * Fails at most a page of analyses of live streams that wait for a chunk to be decoded again, of one chunk or job or of
 * all. Returns the number of their chunks. To fail one twice changes nothing.
 */
export async function failLostLive(
  manager: EntityManager,
  { chunkId = null, jobId = null }: { chunkId?: string | null; jobId?: string | null } = {},
): Promise<number> {
  const rows: LostRow[] = await manager.query(LOST, [chunkId, jobId]);
  return fail(manager, rows, GONE);
}

/** Fails what is left of streams that were stopped a while ago, so that their jobs end. Returns the number of chunks. */
export async function failLateLive(manager: EntityManager): Promise<number> {
  const rows: LostRow[] = await manager.query(LATE, [STOP_SECONDS]);
  return fail(manager, rows, TOO_LATE);
}

async function fail(manager: EntityManager, rows: LostRow[], reason: string): Promise<number> {
  for (const { chunkId, digests, ...job } of rows) await failAnalyses(manager, job, chunkId, digests, reason);
  return rows.length;
}

const LOST = `
  SELECT j.id AS "jobId", j.traceparent, c.id AS "chunkId", array_agg(a.digest) AS digests
    FROM chunks c
    JOIN jobs j ON j.id = c.job_id AND j.media_type = 'videostream' AND ${isLive('j')}
    JOIN chunk_analyses a ON a.chunk_id = c.id AND a.state = 'waiting'
   WHERE c.state = 'planned' AND ($1::uuid IS NULL OR c.id = $1) AND ($2::uuid IS NULL OR c.job_id = $2)
   GROUP BY j.id, c.id LIMIT ${CHUNKS_PER_PAGE}`;

const LATE = `
  SELECT j.id AS "jobId", j.traceparent, a.chunk_id AS "chunkId", array_agg(a.digest) AS digests
    FROM jobs j JOIN chunk_analyses a ON a.job_id = j.id AND a.state = 'requested' AND a.lease_until IS NOT NULL
   WHERE ${isLive('j')} AND j.time_stop_asked < now() - make_interval(secs => $1)
   GROUP BY j.id, a.chunk_id LIMIT ${CHUNKS_PER_PAGE}`;
