import { allModulesEnded, reopenUnplanned, type JobProgress, type LockedJob } from '@adit/jobs';
import { modulesWithNothingLeft } from './loss-errors.js';

/** Folded share of all sources, 0..1; unplanned sources count as nothing, failed ones as done. */
export function progressOf({ folds, failed, sources }: JobProgress, moduleId: string): number {
  const own = folds[moduleId];
  if (own === undefined) return 0;
  return Math.min(1, own.films ? (own.share + failed) / sources : own.share);
}

const NOTHING_TAKEN = 'no source of the job is of a kind that it takes';

/**
 * Completes modules that have a closed fold of every planned source. Fails them when no source is readable or of a
 * kind that they take, or every chunk was lost. A source that was planned without one of them is opened again
 * instead. True when all have ended.
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
    // A film that was refused when it was opened again for another module was readable for those that have a fold of
    // it.
    const completes = readable || folds[moduleId]?.films === true;
    const end = job.timeStopAsked === null ? 'module-completed' : 'module-stopped';
    await locked.apply({ kind: completes ? end : 'module-failed', module: moduleId });
  }
  return allModulesEnded(locked.states);
}
