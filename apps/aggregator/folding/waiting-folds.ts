import type { MediaFacts } from '@adit/contracts';
import { type AnnouncedSegment, fromRow, isActive, isLive, JobModuleEntity } from '@adit/database';
import { LIVE_CHUNKS, RUNS } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Chunks folded in one transaction when many are ready, as when a mined film is submitted again. */
export const CHUNKS_PER_BATCH = 16;
/** Folds handled together: every module of a film, or the folds of some films that have no chunk left. */
export const FOLDS_PER_BATCH = 64;

/** A fold that can advance. */
export interface WaitingFold {
  module: JobModuleEntity;
  /** Source, or ALL_IMAGES for the one fold over all images. */
  sourceIndex: number;
  /** Its place among the fold's chunks; of a live stream the position of the chunk. */
  nextChunk: number;
  /** Number of its chunks; null while a live stream runs. */
  chunks: number | null;
  /** Ids from `nextChunk` on, at most CHUNKS_PER_BATCH. */
  nextIds: string[];
  /** State with the module's name and version; null before the first chunk. */
  state: string | null;
  /** Facts of its film, or of the first image; null when that was refused. */
  facts: MediaFacts | null;
  /** Frames per second of a film that its analyses read, the lowest of several; null where they read none. */
  rate: number | null;
  /** True for a live stream, which has more chunks than the fold knows, also after its end. */
  live: boolean;
  /** Its segments that the job's webhook knows to have started; null when it asks for none. */
  announced: AnnouncedSegment[] | null;
}

type Row = Omit<WaitingFold, 'module'> & { module: Record<string, unknown> };

/** SQL: a live job whose first source was opened: before, there is nothing to fold. */
export const BEGUN = `${isLive('j')} AND j.time_started IS NOT NULL`;

/** Finds folds that can advance. */
@Injectable()
export class WaitingFolds {
  constructor(@Inject(DataSource) private readonly db: DataSource) {}

  /** Returns the folds whose next chunk is analysed or lost, or that have none left, by source. */
  async of(jobId: string): Promise<WaitingFold[]> {
    const { manager } = this.db;
    const rows: Row[] = await manager.query(
      `SELECT to_jsonb(m) AS module, f.source_index AS "sourceIndex", f.state,
              CASE WHEN f.next_live IS NOT NULL AND ${WATCHED} THEN coalesce(f.announced, '[]') END AS announced,
              f.next_live IS NOT NULL AS live, coalesce(f.next_live, f.next_chunk) AS "nextChunk",
              CASE WHEN f.next_live IS NULL THEN jsonb_array_length(f.chunk_ids)
                   WHEN NOT ${RUNS} THEN ${LIVE_CHUNKS} END AS chunks,
              CASE WHEN f.next_live IS NULL THEN ${LISTED} ELSE ${FOLLOWING} END AS "nextIds",
              (SELECT facts FROM job_sources s
                WHERE s.job_id = f.job_id AND s.index = greatest(f.source_index, 0)) AS facts,
              (SELECT min((spec ->> 'rate')::float8)
                 FROM job_analyses a CROSS JOIN LATERAL jsonb_array_elements(a.frames) spec
                WHERE a.job_id = f.job_id AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses))) AS rate
         FROM jobs j JOIN job_modules m ON m.job_id = j.id
         JOIN folds f ON f.job_id = m.job_id AND f.module_id = m.module_id
        WHERE j.id = $1 AND ${BEGUN} AND ${isActive('m')} AND NOT f.closed
          AND ${IS_READY}
        ORDER BY f.source_index, m.position LIMIT $3`,
      [jobId, CHUNKS_PER_BATCH, FOLDS_PER_BATCH],
    );
    return rows.map((row) => ({ ...row, module: fromRow(JobModuleEntity, row.module) }));
  }

  /** Returns the ids of a page of the chunks before the fold's next one, from a place on; none where it ends. */
  async passedIds({ module, sourceIndex, nextChunk, live }: WaitingFold, from: number): Promise<string[]> {
    const to = Math.min(nextChunk, from + CHUNKS_PER_BATCH);
    const [row]: { ids: string[] }[] = live
      ? await this.db.query(
          `SELECT coalesce(jsonb_agg(id ORDER BY position), '[]') AS ids FROM chunks
            WHERE job_id = $1 AND source_start = $2 AND position >= $3 AND position < $4`,
          [module.jobId, sourceIndex, from, to],
        )
      : await this.db.query(
          `SELECT coalesce(jsonb_agg(chunk_ids -> i ORDER BY i), '[]') AS ids
             FROM folds CROSS JOIN generate_series($4::int, $5::int - 1) i
            WHERE job_id = $1 AND module_id = $2 AND source_index = $3`,
          [module.jobId, module.moduleId, sourceIndex, from, to],
        );
    return row?.ids ?? [];
  }
}

/** SQL: the webhook of the job `j` asks for segments of the module `m` that start or end. */
const WATCHED = `EXISTS (
  SELECT 1 FROM unnest(ARRAY['job.', 'job.' || m.posted_as || '.']) AS subject (prefix)
   WHERE j.webhook -> 'events' ?| ARRAY[prefix || 'on_segment_start', prefix || 'on_segment_end'])`;

/** SQL: the next chunks of a fold `f` with a list, at most `$2`. */
const LISTED = `(SELECT coalesce(jsonb_agg(f.chunk_ids -> i ORDER BY i), '[]')
  FROM generate_series(f.next_chunk, least(f.next_chunk + $2, jsonb_array_length(f.chunk_ids)) - 1) i)`;

/** SQL: the next chunks of the live fold `f`, at most `$2`. */
const FOLLOWING = `(SELECT coalesce(jsonb_agg(c.id ORDER BY c.position), '[]') FROM chunks c
  WHERE c.job_id = f.job_id AND c.source_start = f.source_index
    AND c.position >= f.next_live AND c.position < f.next_live + $2)`;

/** SQL: the next chunk of a fold `f` with a list is analysed or lost, or there is none. */
const LISTED_READY = `NOT EXISTS (
  SELECT 1 FROM jsonb_each_text(m.analyses) n
   WHERE f.next_chunk < jsonb_array_length(f.chunk_ids) AND NOT EXISTS (
     SELECT 1 FROM chunk_analyses a WHERE a.chunk_id = (f.chunk_ids ->> f.next_chunk)::uuid
        AND a.digest = n.value AND a.state IN ('done', 'failed')))`;

/** SQL: the analyses of the module `m` have ended in the next chunk of the live fold `f`; or its stream, with that chunk. */
const FOLLOWING_READY = `coalesce((
  SELECT NOT EXISTS (
    SELECT 1 FROM chunk_analyses a JOIN jsonb_each_text(m.analyses) n ON n.value = a.digest
     WHERE a.chunk_id = c.id AND a.state IN ('waiting', 'requested'))
    FROM chunks c
   WHERE c.job_id = f.job_id AND c.source_start = f.source_index AND c.position = f.next_live), NOT ${RUNS})`;

/** SQL: the fold `f` of the module `m` can advance. */
const IS_READY = `CASE WHEN f.next_live IS NULL THEN ${LISTED_READY} ELSE ${FOLLOWING_READY} END`;

/** SQL: the job `j` has a fold that can advance. */
export const HAS_READY_FOLD = `EXISTS (
  SELECT 1 FROM job_modules m JOIN folds f ON f.job_id = m.job_id AND f.module_id = m.module_id
   WHERE m.job_id = j.id AND ${isActive('m')} AND NOT f.closed AND ${IS_READY})`;
