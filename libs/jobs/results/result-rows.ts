/** Statements that write the tables `segments` and `summaries`; `dense-numbers.ts` renumbers them after a removal. */
import { columns, returned, SegmentEntity, SummaryEntity } from '@adit/database';
import { forgetSegments, noteSearchable } from '@adit/search';
import type { EntityManager } from 'typeorm';

const ROWS_PER_INSERT = 500;

export async function insertSegmentRows(
  manager: EntityManager,
  jobId: string,
  rows: readonly Partial<SegmentEntity>[],
): Promise<void> {
  if (rows.length === 0) return;
  await noteSearchable(manager, [jobId]);
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    const part = rows.slice(at, at + ROWS_PER_INSERT).map((row) => columns<SegmentEntity>(row));
    await manager.insert(SegmentEntity, part);
  }
}

/** Numbers the rows after those that the job has. */
export async function appendSummaryRows(
  manager: EntityManager,
  jobId: string,
  rows: readonly Partial<SummaryEntity>[],
): Promise<void> {
  if (rows.length === 0) return;
  const [{ first }]: [{ first: number }] = await manager.query(
    `SELECT coalesce(max(seq) + 1, 0)::int AS first FROM summaries WHERE job_id = $1`,
    [jobId],
  );
  for (let at = 0; at < rows.length; at += ROWS_PER_INSERT) {
    const part = rows.slice(at, at + ROWS_PER_INSERT);
    await manager.insert(
      SummaryEntity,
      part.map((row, place) => columns<SummaryEntity>({ ...row, seq: first + at + place })),
    );
  }
}

/** Takes back results of folds, by module, place and source; a negative source is the fold of all images. */
export async function removeOfFolds(
  manager: EntityManager,
  jobId: string,
  folds: readonly { module_id: string; source_index: number }[],
): Promise<void> {
  const of = [folds.map((fold) => fold.module_id), folds.map((fold) => fold.source_index)];
  const gone: { seq: number }[] = await manager.query(
    `SELECT DISTINCT t.seq FROM segments t JOIN unnest($2::text[], $3::int[]) AS f (module_id, source_index)
         ON t.module_id = f.module_id AND (f.source_index < 0 OR t.source_index = f.source_index)
      WHERE t.job_id = $1`,
    [jobId, ...of],
  );
  await forgetSegments(
    manager,
    gone.map(({ seq }) => ({ jobId, seq })),
  );
  for (const table of ['segments', 'summaries']) {
    // One statement serves any number of sources and modules.
    await manager.query(
      `DELETE FROM ${table} t USING unnest($2::text[], $3::int[]) AS f (module_id, source_index)
        WHERE t.job_id = $1 AND t.module_id = f.module_id AND (f.source_index < 0 OR t.source_index = f.source_index)`,
      [jobId, ...of],
    );
  }
}

/** Marks segments whose picture goes to a training as filed, once each; returns the numbers of those newly filed. */
export async function fileEnrolled(
  manager: EntityManager,
  jobId: string,
  seqs: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = returned<{ seq: number }>(
    await manager.query(
      `UPDATE segments SET teaches = teaches || '{"filed": true}'
        WHERE job_id = $1 AND seq = ANY($2::int[]) AND teaches IS NOT NULL AND teaches->'filed' IS NULL RETURNING seq`,
      [jobId, seqs],
    ),
  );
  return new Set(rows.map(({ seq }) => seq));
}

/** Gives identities of a collection new numbers: `was[i]` becomes `number[i]`. */
export async function renumberIdentities(
  manager: EntityManager,
  { jobId, collection }: { jobId: string; collection: string },
  numbers: ReadonlyMap<number, number>,
): Promise<void> {
  await noteSearchable(manager, [jobId], { again: true });
  await manager.query(
    `UPDATE segments SET identity_number = new.number
       FROM unnest($3::int[], $4::int[]) AS new (was, number)
      WHERE job_id = $1 AND identity_collection = $2 AND identity_number = new.was AND new.was <> new.number`,
    [jobId, collection, [...numbers.keys()], [...numbers.values()]],
  );
}

export async function renameSummary(
  manager: EntityManager,
  { jobId, seq }: { jobId: string; seq: number },
  meta: Record<string, number>,
): Promise<void> {
  await manager.update(SummaryEntity, { jobId, seq }, { meta });
}

/** Pictures of a segment. */
export type SegmentPictures = Pick<SegmentEntity, 'thumbnail' | 'keyFrame' | 'teaches'>;

/** Removes at most `count` segments of a source, the last ones first; returns their pictures. */
export async function removeSegments(
  manager: EntityManager,
  { jobId, sourceIndex }: { jobId: string; sourceIndex: number },
  count: number,
): Promise<SegmentPictures[]> {
  const rows: { seq: number }[] = await manager.query(
    'SELECT seq FROM segments WHERE job_id = $1 AND source_index = $2 ORDER BY seq DESC LIMIT $3',
    [jobId, sourceIndex, count],
  );
  const segments = rows.map(({ seq }) => ({ jobId, seq }));
  await forgetSegments(manager, segments);
  return returned(
    await manager.query(
      `DELETE FROM segments WHERE job_id = $1 AND seq = ANY($2::int[])
       RETURNING thumbnail, key_frame AS "keyFrame", teaches`,
      [jobId, segments.map(({ seq }) => seq)],
    ),
  );
}

/** Deletes the rows and returns their number. */
export async function removeSummaries(
  manager: EntityManager,
  { jobId, sourceIndex }: { jobId: string; sourceIndex: number },
): Promise<number> {
  return returned(
    await manager.query('DELETE FROM summaries WHERE job_id = $1 AND source_index = $2 RETURNING seq', [
      jobId,
      sourceIndex,
    ]),
  ).length;
}

/** Removes identity and pictures from segments. */
export async function anonymiseSegments(
  manager: EntityManager,
  segments: readonly { jobId: string; seq: number }[],
): Promise<void> {
  await forgetSegments(manager, segments);
  await manager.query(
    `UPDATE segments s SET index_id = NULL, thumbnail = NULL, key_frame = NULL, teaches = NULL
       FROM unnest($1::uuid[], $2::int[]) AS v (job_id, seq) WHERE s.job_id = v.job_id AND s.seq = v.seq`,
    [segments.map(({ jobId }) => jobId), segments.map(({ seq }) => seq)],
  );
}

/** Removes these pictures from all segments of the jobs that show them. */
export async function hidePictures(
  manager: EntityManager,
  jobs: readonly string[],
  pictures: readonly string[],
): Promise<void> {
  await manager.query(
    `UPDATE segments SET key_frame = CASE WHEN key_frame->'picture'->>'key' = ANY($2::text[]) THEN NULL ELSE key_frame END,
            thumbnail = CASE WHEN thumbnail->>'key' = ANY($2::text[]) THEN NULL ELSE thumbnail END,
            teaches = CASE WHEN teaches->'picture'->>'key' = ANY($2::text[]) THEN NULL ELSE teaches END
      WHERE job_id = ANY($1::uuid[]) AND (key_frame->'picture'->>'key' = ANY($2::text[])
         OR thumbnail->>'key' = ANY($2::text[]) OR teaches->'picture'->>'key' = ANY($2::text[]))`,
    [jobs, pictures],
  );
}
