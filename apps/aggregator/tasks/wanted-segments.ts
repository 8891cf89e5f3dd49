import type { ClipsExport, SegmentsExport } from '@adit/contracts';
import { containing } from '@adit/database';
import { segmentTextMatches } from '@adit/presentation';
import type { DataSource } from 'typeorm';
import { SEGMENT_PAGE, type JobResults } from '../endings/job-results.js';

/**
 * Numbers of the wanted segments in the order of their sources and times, by pages: four bytes each, since segments may be
 * millions. `sources` are indexes in the job.
 */
export async function wantedSegments(
  db: DataSource,
  results: JobResults,
  wanted: SegmentsExport | ClipsExport,
  sources: readonly number[],
): Promise<Int32Array[]> {
  const { job_id: jobId, modules, labels, time_start: from, time_end: to } = wanted;
  const ids = modules?.flatMap((name) => results.moduleId(name) ?? []) ?? null;
  const patterns = labels?.map(containing) ?? null;
  // A row holds a page of them: one array of a million blocks the process for a second.
  const rows: { seqs: number[] }[] = await db.query(
    `SELECT array_agg(seq ORDER BY place) AS seqs FROM (
       SELECT s.seq, row_number() OVER (ORDER BY s.source_index, s.time_start, s.seq) - 1 AS place FROM segments s
        WHERE s.job_id = $1 AND s.source_index = ANY($2) AND ($3::text[] IS NULL OR s.module_id = ANY($3))
          AND ($4::float8 IS NULL OR s.time_end >= $4) AND ($5::float8 IS NULL OR s.time_start <= $5)
          AND ($6::text[] IS NULL OR ${segmentTextMatches('$6')})) placed
      GROUP BY place / ${SEGMENT_PAGE} ORDER BY place / ${SEGMENT_PAGE}`,
    [jobId, sources, ids, from ?? null, to ?? null, patterns],
  );
  return rows.map(({ seqs }) => Int32Array.from(seqs));
}
