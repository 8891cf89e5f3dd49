import { expiredJobIds, leftLooks, putOffHeldJobs } from '@adit/jobs';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Jobs whose `ttl` is over since they ended. */
export const expiredJobs = rowRule<{ id: string }>({
  kind: 'jobs',
  async find({ db, now }) {
    while ((await putOffHeldJobs(db, now, BATCH_SIZE)) === BATCH_SIZE);
    return expiredJobIds(db, now, BATCH_SIZE);
  },
  remove: ({ id }, { jobs, now }) => jobs.expire(id, now),
});

/** Jobs that looked for an export: they go with its end. */
export const looks = rowRule<{ id: string }>({
  kind: 'looks',
  find: ({ db }) => leftLooks(db, BATCH_SIZE),
  remove: ({ id }, { jobs }) => jobs.deleteLook(id),
});
