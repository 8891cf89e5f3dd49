/** Statements that write the table `folds`: the progress of a job's modules through its chunks. */
import { elementAt } from '@adit/contracts';
import { type AnnouncedSegment, FoldEntity, NO_LIST, returned } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Source index of the one fold that covers all images of a job. */
export const ALL_IMAGES = -1;

export async function insertFold(
  manager: EntityManager,
  jobId: string,
  moduleId: string,
  sourceIndex: number,
  chunkIds: string[],
): Promise<void> {
  await manager.insert(FoldEntity, { jobId, moduleId, sourceIndex, chunkIds });
}

/** Writes folds that take the chunks of a live stream as they come. An existing fold stays. */
export async function insertLiveFolds(
  manager: EntityManager,
  { jobId, sourceIndex }: { jobId: string; sourceIndex: number },
  moduleIds: readonly string[],
): Promise<void> {
  const folds = moduleIds.map((moduleId) => ({ jobId, sourceIndex, moduleId, chunkIds: [...NO_LIST], nextLive: 0 }));
  await manager.createQueryBuilder().insert().into(FoldEntity).values(folds).orIgnore().execute();
}

/** Writes closed folds without chunks, for modules that cannot analyse a source. An existing fold stays. */
export async function insertClosedFolds(
  manager: EntityManager,
  { jobId, sourceIndex }: { jobId: string; sourceIndex: number },
  moduleIds: readonly string[],
): Promise<void> {
  const folds = moduleIds.map((moduleId) => ({ jobId, sourceIndex, moduleId, chunkIds: [], closed: true }));
  await manager.createQueryBuilder().insert().into(FoldEntity).values(folds).orIgnore().execute();
}

/** Modules that have a fold of the source. A source that is opened again is opened for the others. */
export async function foldedModules(manager: EntityManager, jobId: string, sourceIndex: number): Promise<Set<string>> {
  const rows = await manager.find(FoldEntity, { where: { jobId, sourceIndex }, select: { moduleId: true } });
  return new Set(rows.map(({ moduleId }) => moduleId));
}

/** Advance of a fold, from the chunk where it was. */
export interface FoldMove {
  moduleId: string;
  sourceIndex: number;
  before: number;
  nextChunk: number;
  /** Chunks between the two positions. */
  chunkIds: string[];
  /** State of the fold, with the module's name and version. */
  state: string;
  closed: boolean;
  /** Announced segments of a live stream that are still open; null to leave them as they are. */
  announced?: AnnouncedSegment[] | null;
}

export interface ModuleProgress {
  /** Folds that are not closed. */
  open: number;
  /** Folded share of its folds, summed up: 1 for each that is closed. */
  share: number;
  /** A fold for each film; else one for all images. */
  films: boolean;
  /** No source is of a kind that it takes: its folds have no chunks. */
  refused: boolean;
}

/** SQL: the source of the live fold under the alias `f` still gets chunks. */
export const RUNS = `EXISTS (SELECT 1 FROM job_sources r
  WHERE r.job_id = f.job_id AND r.index = f.source_index AND r.state IN ('waiting', 'requested'))`;

/** SQL: number of chunks that the source of the live fold under the alias `f` has so far: one step in an index. */
export const LIVE_CHUNKS = `(SELECT coalesce(max(l.position) + 1, 0) FROM chunks l
  WHERE l.job_id = f.job_id AND l.source_start = f.source_index)`;

/** SQL: folded share of the fold `f` that is not closed; 0 of a stream whose end is not known. */
const SHARE = `CASE
  WHEN f.next_live IS NULL
  THEN coalesce(u.next_chunk, f.next_chunk)::float8 / greatest(jsonb_array_length(f.chunk_ids), 1)
  WHEN ${RUNS} THEN 0
  ELSE coalesce(u.next_live, f.next_live)::float8 / greatest(${LIVE_CHUNKS}, 1) END`;

/** Progress of a job's sources and folds. */
export interface JobProgress {
  /** Sources that were refused. */
  failed: number;
  sources: number;
  /** Some are still to be opened. */
  pending: boolean;
  /** Sources that were opened. */
  readable: boolean;
  /** By module; one that no source was planned for is missing. */
  folds: Record<string, ModuleProgress>;
}

/**
 * Advances folds by one statement, and returns the job's progress. Folds that another process has advanced meanwhile
 * stay as they are, and so do those whose chunks a retry analyses again. `moved` lists the others, by module and
 * source. The caller holds the job's row.
 */
export async function moveFolds(
  manager: EntityManager,
  jobId: string,
  moves: FoldMove[],
): Promise<{ moved: Set<string>; progress: JobProgress }> {
  const rows: (JobProgress & { moved: [string, number][] })[] = await manager.query(
    `WITH v AS (
       SELECT * FROM unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::text[], $7::bool[], $8::text[], $9::jsonb[])
         AS v(module_id, source_index, before, next, state, closed, chunk_ids, announced)),
     u AS (
       UPDATE folds f SET next_chunk = CASE WHEN f.next_live IS NULL THEN v.next ELSE f.next_chunk END,
              next_live = CASE WHEN f.next_live IS NOT NULL THEN v.next END,
              state = v.state, closed = v.closed, announced = coalesce(v.announced, f.announced) FROM v
        WHERE f.job_id = $1 AND f.module_id = v.module_id AND f.source_index = v.source_index
          AND coalesce(f.next_live, f.next_chunk) = v.before AND NOT f.closed AND NOT EXISTS (
            SELECT 1 FROM chunk_analyses a JOIN job_modules n ON n.job_id = $1 AND n.module_id = v.module_id
             WHERE a.chunk_id = ANY(v.chunk_ids::uuid[]) AND a.state IN ('waiting', 'requested')
               AND a.digest IN (SELECT value FROM jsonb_each_text(n.analyses)))
       RETURNING f.module_id, f.source_index, f.next_chunk, f.next_live, f.closed),
     m AS (
       SELECT f.module_id, bool_or(f.source_index >= 0) AS films, bool_and(f.chunk_ids = '[]') AS refused,
              count(*) FILTER (WHERE NOT coalesce(u.closed, f.closed))::int AS open,
              sum(CASE WHEN coalesce(u.closed, f.closed) THEN 1 ELSE ${SHARE} END) AS share
         FROM folds f LEFT JOIN u ON u.module_id = f.module_id AND u.source_index = f.source_index
        WHERE f.job_id = $1 GROUP BY 1)
     SELECT count(*) FILTER (WHERE state = 'failed')::int AS failed, count(*)::int AS sources,
            coalesce(bool_or(state IN ('waiting', 'requested')), false) AS pending,
            coalesce(bool_or(state = 'planned'), false) AS readable,
            (SELECT coalesce(jsonb_object_agg(module_id,
                      jsonb_build_object('open', open, 'share', share, 'films', films, 'refused', refused)), '{}') FROM m) AS folds,
            (SELECT coalesce(jsonb_agg(jsonb_build_array(module_id, source_index)), '[]') FROM u) AS moved
       FROM job_sources WHERE job_id = $1`,
    [
      jobId,
      moves.map(({ moduleId }) => moduleId),
      moves.map(({ sourceIndex }) => sourceIndex),
      moves.map(({ before }) => before),
      moves.map(({ nextChunk }) => nextChunk),
      moves.map(({ state }) => state),
      moves.map(({ closed }) => closed),
      // An array of arrays would have to be as wide as the widest.
      moves.map(({ chunkIds }) => `{${chunkIds.join(',')}}`),
      moves.map(({ announced = null }) => announced && JSON.stringify(announced)),
    ],
  );
  const { moved, ...progress } = elementAt(rows, 0);
  return { moved: new Set(moved.map(([moduleId, sourceIndex]) => moveKey({ moduleId, sourceIndex }))), progress };
}

export function moveKey({ moduleId, sourceIndex }: Pick<FoldMove, 'moduleId' | 'sourceIndex'>): string {
  return `${moduleId}/${sourceIndex}`;
}

export async function jobProgress(manager: EntityManager, jobId: string): Promise<JobProgress> {
  return (await moveFolds(manager, jobId, [])).progress;
}

/** SQL: chunks of a fold `f` that it has passed, with their analyses `a`. Those of a live stream are not among them. */
export const PASSED = `jsonb_array_elements_text(f.chunk_ids) WITH ORDINALITY AS passed (id, place)
  JOIN chunk_analyses a ON a.chunk_id = passed.id::uuid AND passed.place <= f.next_chunk
  JOIN job_modules m ON m.job_id = f.job_id AND m.module_id = f.module_id
       AND a.digest IN (SELECT value FROM jsonb_each_text(m.analyses))`;

/** A retry: folds of the modules that have passed a chunk which is analysed again begin anew; returns them. */
export async function restartFolds(
  manager: EntityManager,
  jobId: string,
  moduleIds: string[],
): Promise<{ module_id: string; source_index: number }[]> {
  return returned(
    await manager.query(
      `UPDATE folds f SET next_chunk = 0, state = NULL, closed = false
        WHERE f.job_id = $1 AND f.module_id = ANY($2::text[])
          AND EXISTS (SELECT 1 FROM ${PASSED} WHERE a.state = 'waiting')
       RETURNING f.module_id, f.source_index`,
      [jobId, moduleIds],
    ),
  );
}

/** Erases what folds of a source, and of all images, had seen; a fold that goes on after a retry knows less of what came before. */
export async function eraseFoldStates(manager: EntityManager, jobId: string, sourceIndex: number): Promise<void> {
  await manager.query('UPDATE folds SET state = NULL WHERE job_id = $1 AND source_index = ANY($2::int[])', [
    jobId,
    [sourceIndex, ALL_IMAGES],
  ]);
}
