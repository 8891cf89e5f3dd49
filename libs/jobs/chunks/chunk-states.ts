/**
 * Transitions of chunks and their analyses, with the statements that write `chunks` and `chunk_analyses`; those of the scheduler
 * are in `given-work.ts`, of a retry in `chunks-of-retried-job.ts`, of sources in `source-states.ts`.
 *
 *     chunk      drafted → planned → requested → decoded → done
 *                           ↑                      │        │
 *                           └──────────────────────┴────────┘   packs lost, an analysis waits again, a retry
 *
 *     analysis   waiting → requested → done | failed
 *                   ↑          │          │
 *                   └──────────┴──────────┘                     packs or observations lost, a retry
 *
 * A chunk is drafted while its plan is being written; requested once it was given out, decoded when its packs are there, done
 * when no analysis reads them any more. Chunks of a live stream begin as decoded; one that is planned again is lost. Leases of
 * attempts are in `libs/leases`, which knows these tables by their names.
 */
import type { ChunkUse, UnitOutcome } from '@adit/contracts';
import {
  type ChunkAnalysisState,
  type ChunkState,
  inStatement,
  isActive,
  isLive,
  type PackKeys,
  returned,
} from '@adit/database';
import { outboxColumns, writtenMessages, type OutboxMessage } from '@adit/outbox';
import type { DataSource, EntityManager } from 'typeorm';
import { listensOf } from './requests.js';
import { CHUNK_IS_LOCKED, lockedChunk } from './locked-chunk.js';
import { countedOutcome } from './used-seconds.js';

type Db = Pick<DataSource, 'query'>;

/** Chunks that one transaction writes, moves or removes. */
export const CHUNKS_PER_PAGE = 500;
/** Rows of one INSERT: their values go as one parameter. */
const ROWS_PER_INSERT = 1000;

// Planning

export interface NewChunk {
  id: string;
  position: number;
  source_start: number;
  source_end: number;
  interval: unknown;
  state: ChunkState;
  /** Seconds for which it counts as dispatched; null when it is not. */
  lease_seconds: number | null;
}

export interface NewChunkAnalysis {
  chunk_id: string;
  digest: string;
  state: ChunkAnalysisState;
  units: UnitOutcome[] | null;
}

export async function insertChunkRows(
  manager: EntityManager,
  jobId: string,
  chunks: readonly NewChunk[],
  analyses: readonly NewChunkAnalysis[],
): Promise<void> {
  await insertRows(manager, INSERT_CHUNKS, jobId, chunks);
  await insertRows(manager, INSERT_ANALYSES, jobId, analyses);
}

async function insertRows(manager: EntityManager, insert: string, jobId: string, rows: readonly object[]) {
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    await manager.query(insert, [jobId, JSON.stringify(rows.slice(at, at + ROWS_PER_INSERT))]);
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

/** A chunk of a live stream as its recorder decoded it. */
export interface LiveChunkRow {
  id: string;
  sourceIndex: number;
  position: number;
  interval: unknown;
  /** Packs of its frames or its sound. */
  packs: PackKeys;
  /** Analyses that it is requested for. */
  digests: string[];
  leaseSeconds: number;
}

/** Writes a decoded chunk with its requested analyses; one that no analysis wants is done. The caller holds the job. */
export async function insertLiveChunk(manager: EntityManager, jobId: string, chunk: LiveChunkRow): Promise<void> {
  const { id, sourceIndex, position, interval, packs, digests, leaseSeconds } = chunk;
  const isWanted = digests.length > 0;
  const state: ChunkState = isWanted ? 'decoded' : 'done';
  const shown = [JSON.stringify(interval), state, isWanted ? JSON.stringify({ [sourceIndex]: packs }) : null];
  await manager.query(INSERT_LIVE, [id, jobId, sourceIndex, position, ...shown, digests, leaseSeconds]);
}

const INSERT_LIVE = `
  WITH c AS (
    INSERT INTO chunks (id, job_id, source_start, source_end, position, interval, state, packs)
    VALUES ($1, $2, $3::int, $3::int + 1, $4, $5::jsonb, $6, $7::jsonb))
  INSERT INTO chunk_analyses (chunk_id, digest, job_id, state, lease_until)
  SELECT $1, digest, $2, 'requested', now() + make_interval(secs => $9) FROM unnest($8::text[]) AS d (digest)`;

/**
 * Dispatches drafted chunks of plans that are complete, a page of them, and returns their number. The process that
 * wrote the plan calls it at once; the reconciler does so when that process has died.
 */
export async function releaseDrafts(manager: EntityManager): Promise<number> {
  const rows = returned(
    await manager.query(
      `UPDATE chunks SET state = 'planned' WHERE id IN (
         SELECT c.id FROM chunks c JOIN job_sources s ON s.job_id = c.job_id AND s.index = c.source_start
          WHERE c.state = 'drafted' AND s.state = 'planned' ORDER BY c.job_id, c.position LIMIT ${CHUNKS_PER_PAGE}
            FOR UPDATE OF c SKIP LOCKED)
       RETURNING 1`,
    ),
  );
  return rows.length;
}

/**
 * Removes at most a page of the source's chunks that no fold knows, those of a plan that was cut off. The last ones
 * go first, so that the process that wrote them notices at once. Returns their number.
 */
export async function removeUnfolded(manager: EntityManager, jobId: string, sourceIndex: number): Promise<number> {
  const rows = returned(
    await manager.query(
      `WITH cut AS (
         SELECT c.id FROM chunks c WHERE c.job_id = $1 AND c.source_start = $2 AND NOT EXISTS (
           SELECT 1 FROM folds f CROSS JOIN jsonb_array_elements_text(f.chunk_ids) AS known (id)
            WHERE f.job_id = $1 AND f.source_index = $2 AND known.id = c.id::text)
           AND NOT EXISTS (SELECT 1 FROM folds f WHERE f.job_id = $1 AND f.source_index = $2 AND f.next_live IS NOT NULL)
          ORDER BY c.position DESC LIMIT ${CHUNKS_PER_PAGE}),
       a AS (DELETE FROM chunk_analyses WHERE chunk_id IN (SELECT id FROM cut))
       DELETE FROM chunks WHERE id IN (SELECT id FROM cut) RETURNING 1`,
      [jobId, sourceIndex],
    ),
  );
  return rows.length;
}

// Lost work

/** Job of a unit of work whose lease ran out. */
interface LostWork {
  jobId: string;
  traceparent: string | null;
}

export type LostChunk = LostWork & { id: string; sourceStart: number; listens: boolean };
export type LostAnalysis = LostWork & { chunkId: string; digest: string; analysis: string };

/** Renews the lease of chunks of running jobs whose lease ran out; returns them, to be requested again. */
export async function renewChunkLeases(manager: EntityManager, leaseSeconds: number): Promise<LostChunk[]> {
  return returned(
    await manager.query(
      `UPDATE chunks s SET lease_until = now() + make_interval(secs => $1) FROM jobs j
        WHERE j.id = s.job_id AND ${isLive('j')} AND s.state = 'requested' AND s.lease_until <= now()
       RETURNING s.job_id AS "jobId", s.id, s.source_start AS "sourceStart", j.traceparent,
                 ${listensOf('s.job_id')} AS listens`,
      [leaseSeconds],
    ),
  );
}

/** Renews the lease of analyses likewise. */
export async function renewAnalysisLeases(manager: EntityManager, leaseSeconds: number): Promise<LostAnalysis[]> {
  return returned(
    await manager.query(
      `UPDATE chunk_analyses s SET lease_until = now() + make_interval(secs => $1) FROM jobs j, job_analyses a
        WHERE j.id = s.job_id AND ${isLive('j')} AND s.state = 'requested' AND s.lease_until <= now()
          AND a.job_id = s.job_id AND a.digest = s.digest
       RETURNING s.job_id AS "jobId", s.chunk_id AS "chunkId", s.digest, a.analysis, j.traceparent`,
      [leaseSeconds],
    ),
  );
}

/**
 * Takes one attempt back from what was only fetched or decoded when its process died beside an analysis: ffmpeg dies alone,
 * models take the process with them.
 */
export async function forgiveBesideAnalyses(manager: EntityManager): Promise<void> {
  for (const table of ['job_sources', 'chunks']) {
    await manager.query(
      `UPDATE ${table} SET attempts = attempts - 1 WHERE state = 'requested' AND attempts > 0
         AND EXISTS (SELECT 1 FROM chunk_analyses a WHERE a.state = 'requested' AND a.attempts > 0)`,
    );
  }
}

// Outcomes

/** A chunk that is decoded, with its packs, and the messages that ask for the analyses of its frames. */
export interface DecodedChunk {
  id: string;
  jobId: string;
  packs: Record<string, PackKeys>;
  digests: string[];
  leaseSeconds: number;
  messages: OutboxMessage[];
}

/**
 * The statement, with its values, that notes that a chunk is decoded and asks for its analyses; it answers whether the job is
 * `live`, and writes nothing where it has ended. It holds the job meanwhile, so that nobody ends it and removes the packs.
 */
export function decodedChunk(chunk: DecodedChunk): [string, unknown[]] {
  const { id, jobId, packs, digests, leaseSeconds, messages } = chunk;
  const state: ChunkState = digests.length === 0 ? 'done' : 'decoded';
  return [DECODED, [jobId, id, state, JSON.stringify(packs), digests, leaseSeconds, ...outboxColumns(messages)]];
}

const DECODED = `
  WITH j AS MATERIALIZED (
    SELECT j.id FROM jobs j WHERE j.id = $1 AND ${isLive('j')} FOR UPDATE),
  ${lockedChunk('$2', 'EXISTS (SELECT FROM j)')},
  c AS (
    UPDATE chunks SET state = $3, packs = $4::jsonb, lease_until = NULL, running_until = NULL
     WHERE id = $2 AND state = 'requested' AND ${CHUNK_IS_LOCKED}),
  a AS (
    UPDATE chunk_analyses SET state = 'requested', lease_until = now() + make_interval(secs => $6), running_until = NULL
     WHERE chunk_id = $2 AND digest = ANY($5::text[]) AND state = 'waiting' AND ${CHUNK_IS_LOCKED}),
  o AS (${writtenMessages(`SELECT m.topic, m.key, m.envelope, j.id::text FROM j, unnest($7::text[], $8::text[], $9::jsonb[]) AS m(topic, key, envelope)`)})
  SELECT EXISTS (SELECT 1 FROM j) AS live`;

/** Records a good outcome, and what it took, without the job's row: whether the job lives, and whether nobody had recorded one before. */
export async function setAnalysed(
  db: DataSource,
  { jobId, chunkId, digest }: { jobId: string; chunkId: string; digest: string },
  units: UnitOutcome[] | null,
  use?: ChunkUse,
): Promise<{ live: boolean; recorded: boolean }> {
  const parameters = [jobId, chunkId, digest, JSON.stringify(units), use === undefined ? null : JSON.stringify(use)];
  const [row] = await inStatement<{ live: boolean; recorded: boolean }>(db, ANALYSED, parameters);
  return row ?? { live: false, recorded: false };
}

const ANALYSED = `
  WITH live AS (
    SELECT 1 FROM jobs j WHERE j.id = $1 AND ${isLive('j')}),
  ${lockedChunk('$2', 'EXISTS (SELECT FROM live)')},
  recorded AS (
    UPDATE chunk_analyses SET state = 'done', units = $4::jsonb, error = NULL, lease_until = NULL, running_until = NULL
     WHERE chunk_id = $2 AND digest = $3 AND state IN ('waiting', 'requested') AND ${CHUNK_IS_LOCKED}
    RETURNING 1),
  ${countedOutcome({ jobId: '$1', chunkId: '$2', digest: '$3', use: '$5' }, 'EXISTS (SELECT FROM recorded)')}
  SELECT EXISTS (SELECT FROM live) AS live, EXISTS (SELECT FROM recorded) AS recorded`;

/** Records any outcome, under the job's lock; false when one was recorded before. */
export async function endAnalysis(
  manager: EntityManager,
  { chunkId, digest }: { chunkId: string; digest: string },
  { state, units, error }: { state: 'done' | 'failed'; units: UnitOutcome[] | null; error: string | null },
): Promise<boolean> {
  return returned(await manager.query(ENDED, [chunkId, digest, state, JSON.stringify(units), error])).length > 0;
}

const ENDED = `
  WITH ${lockedChunk('$1')}
  UPDATE chunk_analyses SET state = $3, units = nullif($4::jsonb, 'null'), error = $5, lease_until = NULL
   WHERE chunk_id = $1 AND digest = $2 AND state IN ('waiting', 'requested') AND ${CHUNK_IS_LOCKED}
  RETURNING 1`;

/**
 * Notes that no process that was given an analysis can do it as requested; returns the seconds since that was so.
 */
export async function deferAnalysis(db: Db, chunkId: string, digest: string): Promise<number> {
  const rows = returned<{ seconds: number }>(
    await db.query(
      `UPDATE chunk_analyses SET put_off_since = coalesce(put_off_since, now()) WHERE chunk_id = $1 AND digest = $2
       RETURNING extract(epoch FROM now() - put_off_since)::float8 AS seconds`,
      [chunkId, digest],
    ),
  );
  return rows[0]?.seconds ?? 0;
}

/**
 * Ends a chunk whose last analysis has ended, or has it decoded again for an analysis that is waiting again. True
 * when nobody reads the chunk's packs any more.
 */
export async function finishChunk(db: Db, chunkId: string): Promise<boolean> {
  return returned(await db.query(FINISH, [chunkId])).length > 0;
}

/** Reads a snapshot that shows what was recorded before: of two analyses that end at once the later one finds both. */
const FINISH = `
  WITH unfinished AS (
    SELECT coalesce(bool_or(a.state = 'requested'), false) AS running, coalesce(bool_or(a.state = 'waiting'), false) AS waiting
      FROM chunk_analyses a JOIN job_modules m ON m.job_id = a.job_id
     WHERE a.chunk_id = $1 AND a.state IN ('waiting', 'requested') AND ${isActive('m')}
       AND EXISTS (SELECT 1 FROM jsonb_each_text(m.analyses) n WHERE n.value = a.digest))
  UPDATE chunks SET state = CASE WHEN unfinished.waiting THEN 'planned' ELSE 'done' END, packs = NULL, lease_until = NULL
    FROM unfinished
   WHERE id = $1 AND NOT unfinished.running AND (NOT unfinished.waiting OR chunks.state = 'decoded')
  RETURNING id`;

/** SQL: chunks of running jobs. */
const OF_RUNNING = `j.id = c.job_id AND ${isLive('j')}`;
/** SQL: a running module needs the analysis. */
const WANTED = `EXISTS (
  SELECT 1 FROM job_modules m, jsonb_each_text(m.analyses) n
   WHERE m.job_id = a.job_id AND ${isActive('m')} AND n.value = a.digest)`;

/**
 * Moves on chunks that a crash left stuck. A process that dies between the outcome of an analysis and the end of its
 * chunk would keep the concurrency slot for as long as the job runs. An analysis that waits again just when its chunk
 * ended would wait for ever. Returns the number of chunks.
 */
export async function settleChunks(manager: EntityManager): Promise<number> {
  // An analysis that is still running, also for a module that has ended, reads the chunk's packs and ends it.
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

// Repeats

/** The packs of a chunk are gone: it is decoded again for the analyses that still miss them. */
export async function redecode(manager: EntityManager, chunkId: string): Promise<void> {
  await manager.query(REDECODE, [chunkId]);
}

const REDECODE = `
  WITH ${lockedChunk('$1')},
  a AS (
    UPDATE chunk_analyses SET state = 'waiting', lease_until = NULL
     WHERE chunk_id = $1 AND state = 'requested' AND ${CHUNK_IS_LOCKED})
  UPDATE chunks SET state = 'planned', packs = NULL, lease_until = NULL
   WHERE id = $1 AND state = 'decoded' AND ${CHUNK_IS_LOCKED}`;

/** The observations of a chunk are gone: it is analysed again. Its attempts stay counted, so that a constant loss ends. */
export async function reanalyse(manager: EntityManager, chunkId: string, digest: string): Promise<void> {
  await manager.query(REANALYSE, [chunkId, digest]);
}

/** A chunk that is still in use by other analyses is decoded again after them. */
const REANALYSE = `
  WITH ${lockedChunk('$1')},
  a AS (
    UPDATE chunk_analyses SET state = 'waiting', units = NULL
     WHERE chunk_id = $1 AND digest = $2 AND state = 'done' AND ${CHUNK_IS_LOCKED})
  UPDATE chunks SET state = 'planned' WHERE id = $1 AND state = 'done' AND ${CHUNK_IS_LOCKED}`;
