import { isTerminal, type JobState } from '@adit/contracts';
import type { JobEntity } from '@adit/database';

/** How a job ends when all of its modules have, stopped ones among them: failed when each of them has failed. */
export function endOf(modules: readonly JobState[]): 'completed' | 'failed' {
  return modules.every((state) => state === 'failed') ? 'failed' : 'completed';
}

/** What changes of a job with its end. Its files are written with this before it is stored: they show the job as it ends. */
export function endedAt(
  { progress, ttl }: Pick<JobEntity, 'progress' | 'ttl'>,
  state: JobState,
  timeCompleted: Date,
): Pick<JobEntity, 'state' | 'progress' | 'timeCompleted' | 'timeExpires'> {
  if (!isTerminal(state)) throw new RangeError(`${state} is no end.`);
  return {
    state,
    progress: state === 'completed' ? 1 : progress,
    timeCompleted,
    timeExpires: ttl === null ? null : new Date(timeCompleted.getTime() + ttl * 1000),
  };
}
