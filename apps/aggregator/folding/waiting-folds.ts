import type { MediaFacts } from '@adit/contracts';
import { fromRow, isActive, isLive, JobModuleEntity } from '@adit/database';
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
  nextChunk: number;
  /** Number of its chunks. */
  chunks: number;
  /** Ids from `nextChunk` on, at most CHUNKS_PER_BATCH. */
  nextIds: string[];
  /** Encrypted state; null before the first chunk. */
  state: string | null;
  /** Facts of its film, or of the first image; null when that was refused. */
  facts: MediaFacts | null;
  /** Frames per second of a film that its analyses read, the lowest of several; null where they read none. */
  rate: number | null;
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
      `SELECT to_jsonb(m) AS module, f.source_index AS "sourceIndex", f.next_chunk AS "nextChunk", f.state,
              jsonb_array_length(f.chunk_ids) AS chunks,
              (SELECT coalesce(jsonb_agg(f.chunk_ids -> i ORDER BY i), '[]')
                 FROM generate_series(f.next_chunk, least(f.next_chunk + $2, jsonb_array_length(f.chunk_ids)) - 1) i)
                AS "nextIds",
              (SELECT facts FROM job_sources s
                WHERE s.job_id = f.job_id AND s.index = greatest(f.source_index, 0)) AS facts,
              (SELECT min((spec ->> 'rate')::float8)
                 FROM job_analyses a CROSS JOIN LATERAL jsonb_array_elements(a.frames) spec
                WHERE a.job_id = f.job_id AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses))) AS rate
         FROM jobs j JOIN job_modules m ON m.job_id = j.id
         JOIN folds f ON f.job_id = m.job_id AND f.module_id = m.module_id
        WHERE j.id = $1 AND ${BEGUN} AND ${isActive('m')} AND NOT f.closed
          AND NOT EXISTS (
            SELECT 1 FROM jsonb_each_text(m.analyses) n
             WHERE f.next_chunk < jsonb_array_length(f.chunk_ids) AND NOT EXISTS (
               SELECT 1 FROM chunk_analyses a WHERE a.chunk_id = (f.chunk_ids ->> f.next_chunk)::uuid
                  AND a.digest = n.value AND a.state IN ('done', 'failed')))
        ORDER BY f.source_index, m.position LIMIT $3`,
      [jobId, CHUNKS_PER_BATCH, FOLDS_PER_BATCH],
    );
    return rows.map((row) => ({ ...row, module: fromRow(JobModuleEntity, row.module) }));
  }

  /** Returns the ids of the first chunks of a fold that has to be folded anew. */
  async firstIds({ module: { jobId, moduleId }, sourceIndex, nextChunk }: WaitingFold): Promise<string[]> {
    const [row]: { ids: string[] }[] = await this.db.query(
      `SELECT chunk_ids AS ids FROM folds WHERE job_id = $1 AND module_id = $2 AND source_index = $3`,
      [jobId, moduleId, sourceIndex],
    );
    return row?.ids.slice(0, nextChunk) ?? [];
  }
}
