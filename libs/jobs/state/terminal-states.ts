import { isTerminal, type JobState } from '@adit/contracts';
import type { JobEntity } from '@adit/database';

/** Final state of a job whose modules have all ended, stopped ones among them: failed when each of them has failed. */
export function endOf(modules: readonly JobState[]): 'completed' | 'failed' {
  return modules.every((state) => state === 'failed') ? 'failed' : 'completed';
}

/**
 * Changes of a job at its end. Its files are written with them before they are stored: they show the job as it ends.
 */
export function endedAt(
  { progress, ttl }: Pick<JobEntity, 'progress' | 'ttl'>,
  state: JobState,
  timeCompleted: Date,
): Pick<JobEntity, 'state' | 'progress' | 'timeCompleted' | 'timeExpires'> {
  if (!isTerminal(state)) throw new RangeError(`${state} is not a terminal state.`);
  return {
    state,
    progress: state === 'completed' ? 1 : progress,
    timeCompleted,
    timeExpires: ttl === null ? null : new Date(timeCompleted.getTime() + ttl * 1000),
  };
}
