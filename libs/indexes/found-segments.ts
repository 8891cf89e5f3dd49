import { SegmentEntity } from '@adit/database';
import type { FoundDocument } from '@adit/search';
import type { EntityManager } from 'typeorm';
import { nameSegments } from './named-segments.js';

/**
 * Returns the segments that documents of the search stand for, with the names that people have now. A document is missing whose
 * number is another segment's by now, or nobody's.
 */
export async function foundSegments(
  manager: EntityManager,
  workspaceId: string,
  documents: readonly FoundDocument[],
): Promise<Map<FoundDocument, SegmentEntity>> {
  const asked = documents.flatMap(({ jobId, key: { seq } }) => (seq === null ? [] : [{ jobId, seq }]));
  if (asked.length === 0) return new Map();
  const rows = await manager
    .createQueryBuilder(SegmentEntity, 's')
    .where('(s.job_id, s.seq) IN (SELECT * FROM unnest(CAST(:jobs AS uuid[]), CAST(:seqs AS int[])))', {
      jobs: asked.map(({ jobId }) => jobId),
      seqs: asked.map(({ seq }) => seq),
    })
    .getMany();
  await nameSegments(manager, workspaceId, rows);
  const byPlace = new Map(rows.map((row) => [`${row.jobId} ${row.seq}`, row]));
  return new Map(
    documents.flatMap((document) => {
      const segment = byPlace.get(`${document.jobId} ${document.key.seq}`);
      return segment !== undefined && standsFor(document, segment) ? [[document, segment]] : [];
    }),
  );
}

function standsFor({ moduleId, type, sourceIndex, timeStart }: FoundDocument, segment: SegmentEntity): boolean {
  return (
    segment.moduleId === moduleId &&
    segment.type === type &&
    segment.sourceIndex === sourceIndex &&
    segment.timeStart === timeStart
  );
}
