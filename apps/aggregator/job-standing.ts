import { ALL_IMAGES, allModulesEnded, type LockedJob } from '@adit/jobs';
import type { EntityManager } from 'typeorm';

interface FoldStanding {
  moduleId: string;
  sourceIndex: number;
  nextChunk: number;
  chunks: number;
  closed: boolean;
}

/** How far the sources and folds of a job are. */
export interface JobStanding {
  /** Sources that were refused. */
  failed: number;
  /** Some are still to be opened. */
  pending: boolean;
  /** Some could be opened. */
  readable: boolean;
  folds: FoldStanding[];
}

export async function standingOf(manager: EntityManager, jobId: string): Promise<JobStanding> {
  const [row]: JobStanding[] = await manager.query(
    `SELECT count(*) FILTER (WHERE state = 'failed')::int AS failed,
            coalesce(bool_or(state IN ('waiting', 'requested')), false) AS pending,
            coalesce(bool_or(state = 'planned'), false) AS readable,
            (SELECT coalesce(jsonb_agg(jsonb_build_object('moduleId', module_id, 'sourceIndex', source_index,
                      'nextChunk', next_chunk, 'chunks', jsonb_array_length(chunk_ids), 'closed', closed)), '[]')
               FROM folds WHERE job_id = $1) AS folds
       FROM job_sources WHERE job_id = $1`,
    [jobId],
  );
  return row!;
}

/** Folded share of all sources, 0..1; what is not planned yet counts as nothing, what failed as done. */
export function progressOf({ folds, failed }: JobStanding, moduleId: string, sources: number): number {
  const own = folds.filter((fold) => fold.moduleId === moduleId);
  const share = (fold: FoldStanding): number => (fold.closed ? 1 : fold.nextChunk / fold.chunks);
  const films = own.some((fold) => fold.sourceIndex !== ALL_IMAGES);
  const sum = own.reduce((total, fold) => total + share(fold), films ? failed : 0);
  return Math.min(1, sum / (films ? sources : 1));
}

/** Completes modules whose folds are all closed; fails them when no source is readable. True when all have ended. */
export async function endModules(locked: LockedJob, { folds, pending, readable }: JobStanding): Promise<boolean> {
  if (pending) return allModulesEnded(locked.states);
  for (const { moduleId } of locked.activeModules) {
    if (folds.some((fold) => fold.moduleId === moduleId && !fold.closed)) continue;
    // A retried job may have nothing left to do, so that nothing has started it.
    await locked.apply({ kind: 'opened' });
    await locked.apply({ kind: readable ? 'module-completed' : 'module-failed', module: moduleId });
  }
  return allModulesEnded(locked.states);
}
