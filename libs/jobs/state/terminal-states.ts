import { isTerminal, type JobState } from '@adit/contracts';
import type { JobEntity } from '@adit/database';

/**
 * Final state of a job whose modules have all ended: failed when each of them has failed, stopped when one has folded
 * what there was of a stopped stream.
 */
export function endOf(modules: readonly JobState[]): 'completed' | 'failed' | 'stopped' {
  if (modules.every((state) => state === 'failed')) return 'failed';
  return modules.includes('stopped') ? 'stopped' : 'completed';
}

/**
 * Changes of a job at its end. Its files are written with them before they are stored: they show the job as it ends.
 */
export function endedAt(
  { progress, ttl, timeStopAsked }: Pick<JobEntity, 'progress' | 'ttl' | 'timeStopAsked'>,
  state: JobState,
  timeCompleted: Date,
): Pick<JobEntity, 'state' | 'progress' | 'timeCompleted' | 'timeExpires'> {
  if (!isTerminal(state)) throw new RangeError(`${state} is not a terminal state.`);
  return {
    state,
    // A stream that was stopped has been mined to its end.
    progress: state === 'completed' || (state === 'stopped' && timeStopAsked !== null) ? 1 : progress,
    timeCompleted,
    timeExpires: ttl === null ? null : new Date(timeCompleted.getTime() + ttl * 1000),
  };
}
