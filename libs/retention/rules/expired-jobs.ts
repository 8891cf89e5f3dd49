import { TERMINAL_JOB_STATES, type JobState } from '@adit/contracts';
import { JobEntity } from '@adit/database';
import { In, IsNull, LessThanOrEqual } from 'typeorm';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Jobs whose `ttl` is over since they ended. */
export const expiredJobs = rowRule<Pick<JobEntity, 'id'>>({
  kind: 'jobs',
  find: ({ db, now }) =>
    db.manager.find(JobEntity, {
      // A job that an older build retried runs with the expiry of its former life: `expire` leaves it alone.
      where: {
        state: In<JobState>(TERMINAL_JOB_STATES),
        timeExpires: LessThanOrEqual(now),
        timeDeleted: IsNull(),
      },
      take: BATCH_SIZE,
      select: { id: true },
    }),
  remove: ({ id }, { jobs, now }) => jobs.expire(id, now),
});
