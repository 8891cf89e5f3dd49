import { elementAt } from '@adit/contracts';
import { allModulesEnded, reopenUnplanned, type LockedJob } from '@adit/jobs';
import type { EntityManager } from 'typeorm';
import { modulesWithNothingLeft } from './loss-errors.js';

/** How far a fold is to be taken: from the chunk it stood at. */
interface FoldMove {
  moduleId: string;
  sourceIndex: number;
  before: number;
  nextChunk: number;
  /** The chunks between. */
  chunkIds: string[];
  /** As sealed. */
  state: string;
  closed: boolean;
}

interface ModuleStanding {
  /** Folds that are not closed. */
  open: number;
  /** Folded share of its folds, summed up: 1 for each that is closed. */
  share: number;
  /** A fold for each film; else one for all images. */
  films: boolean;
  /** No source is of a kind that it takes: its folds have no chunks. */
  refused: boolean;
}

/** How far the sources and folds of a job are. */
export interface JobProgress {
  /** Sources that were refused. */
  failed: number;
  sources: number;
  /** Some are still to be opened. */
  pending: boolean;
  /** Some could be opened. */
  readable: boolean;
  /** By module; one that no source was planned for is missing. */
  folds: Record<string, ModuleStanding>;
}

/**
 * Takes folds further, all by one statement, and says how far the job is then. Those that somebody else has taken further
 * meanwhile stay as they are, and those whose chunks are looked at again, as a retry asks for: `moved` lists the others, by
 * module and source. The caller holds the job's row.
 */
export async function moveFolds(
  manager: EntityManager,
  jobId: string,
  moves: FoldMove[],
): Promise<{ moved: Set<string>; standing: JobProgress }> {
  const rows: (JobProgress & { moved: [string, number][] })[] = await manager.query(
    `WITH v AS (
       SELECT * FROM unnest($2::text[], $3::int[], $4::int[], $5::int[], $6::text[], $7::bool[], $8::text[])
         AS v(module_id, source_index, before, next_chunk, state, closed, chunk_ids)),
     u AS (
       UPDATE folds f SET next_chunk = v.next_chunk, state = v.state, closed = v.closed FROM v
        WHERE f.job_id = $1 AND f.module_id = v.module_id AND f.source_index = v.source_index
          AND f.next_chunk = v.before AND NOT f.closed AND NOT EXISTS (
            SELECT 1 FROM chunk_analyses a JOIN job_modules n ON n.job_id = $1 AND n.module_id = v.module_id
             WHERE a.chunk_id = ANY(v.chunk_ids::uuid[]) AND a.state IN ('waiting', 'requested')
               AND a.digest IN (SELECT value FROM jsonb_each_text(n.analyses)))
       RETURNING f.module_id, f.source_index, f.next_chunk, f.closed),
     m AS (
       SELECT f.module_id, bool_or(f.source_index >= 0) AS films, bool_and(f.chunk_ids = '[]') AS refused,
              count(*) FILTER (WHERE NOT coalesce(u.closed, f.closed))::int AS open,
              sum(CASE WHEN coalesce(u.closed, f.closed) THEN 1
                       ELSE coalesce(u.next_chunk, f.next_chunk)::float8 / greatest(jsonb_array_length(f.chunk_ids), 1)
                  END) AS share
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
    ],
  );
  const { moved, ...standing } = elementAt(rows, 0);
  return { moved: new Set(moved.map(([moduleId, sourceIndex]) => moveKey({ moduleId, sourceIndex }))), standing };
}

export function moveKey({ moduleId, sourceIndex }: Pick<FoldMove, 'moduleId' | 'sourceIndex'>): string {
  return `${moduleId}/${sourceIndex}`;
}

export async function jobProgress(manager: EntityManager, jobId: string): Promise<JobProgress> {
  return (await moveFolds(manager, jobId, [])).standing;
}

/** Folded share of all sources, 0..1; what is not planned yet counts as nothing, what failed as done. */
export function progressOf({ folds, failed, sources }: JobProgress, moduleId: string): number {
  const own = folds[moduleId];
  if (own === undefined) return 0;
  return Math.min(1, own.films ? (own.share + failed) / sources : own.share);
}

const NOTHING_TAKEN = 'no source of the job is of a kind that it takes';

/**
 * Completes modules that have a closed fold of every planned source; fails them when no source is readable or of a kind that
 * they take, or every chunk of theirs was lost. A source that was planned without one of them is opened again instead. True when all have ended.
 */
export async function endModules(locked: LockedJob, { folds, pending, readable }: JobProgress): Promise<boolean> {
  if (pending) return allModulesEnded(locked.states);
  const ending = locked.activeModules.filter(({ moduleId }) => (folds[moduleId]?.open ?? 0) === 0);
  if (ending.length === 0) return allModulesEnded(locked.states);
  const { manager, job } = locked;
  if (await reopenUnplanned(manager, job.id)) return false;
  const ids = ending.map(({ moduleId }) => moduleId);
  const lost = await modulesWithNothingLeft(manager, job.id, ids);
  // A retried job may have nothing left to do, so that nothing has started it.
  await locked.apply({ kind: 'opened' });
  for (const moduleId of ids) {
    const reason = folds[moduleId]?.refused ? NOTHING_TAKEN : lost.get(moduleId);
    if (reason !== undefined) await locked.failLostModule(moduleId, reason);
    // A film that was opened again for another module, and refused then, could be read for those that have a fold of it.
    const looked = readable || folds[moduleId]?.films === true;
    await locked.apply({ kind: looked ? 'module-completed' : 'module-failed', module: moduleId });
  }
  return allModulesEnded(locked.states);
}
