import type { SegmentEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Segments read together. */
const PAGE = 500;

/** Finding of a module in an interval of a source. */
export type ModuleSegment = Pick<SegmentEntity, 'moduleSeq' | 'type' | 'timeStart' | 'timeEnd' | 'meta'>;

/** Segments of one module, type and source. */
export interface SegmentsWanted {
  jobId: string;
  moduleId: string;
  sourceIndex: number;
  type: string;
  /** First and last number of the module's segments to read, where known; it spares reading the rest. */
  seqs?: { first: number; last: number };
}

/** Yields segments in order of emission, a page in memory at a time. */
export async function* moduleSegments(manager: EntityManager, wanted: SegmentsWanted): AsyncGenerator<ModuleSegment[]> {
  const { jobId, moduleId, sourceIndex, type, seqs } = wanted;
  for (let after = (seqs?.first ?? 0) - 1; ;) {
    const page: ModuleSegment[] = await manager.query(
      `SELECT module_seq AS "moduleSeq", type, time_start AS "timeStart", time_end AS "timeEnd", meta FROM segments
        WHERE job_id = $1 AND module_id = $2 AND module_seq > $3 AND module_seq <= $6 AND source_index = $4 AND type = $5
        ORDER BY module_seq LIMIT ${PAGE}`,
      [jobId, moduleId, after, sourceIndex, type, seqs?.last ?? 2 ** 31 - 1],
    );
    const last = page.at(-1);
    if (last !== undefined) yield page;
    if (last === undefined || page.length < PAGE) return;
    after = last.moduleSeq;
  }
}
