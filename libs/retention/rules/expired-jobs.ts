import { expiredJobIds } from '@adit/jobs';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Jobs whose `ttl` is over since they ended. */
export const expiredJobs = rowRule<{ id: string }>({
  kind: 'jobs',
  find: ({ db, now }) => expiredJobIds(db, now, BATCH_SIZE),
  remove: ({ id }, { jobs, now }) => jobs.expire(id, now),
});
