import { LIFETIME_SECONDS } from '@adit/contracts';
import { JobEntity } from '@adit/database';
import { jobPrefix } from '@adit/jobs';
import { LessThan } from 'typeorm';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Rows of deleted jobs. No lease of work in flight is left by now, so late writes of such work go too. */
export const jobTombstones = rowRule<Pick<JobEntity, 'id'>>({
  kind: 'tombstones',
  find: ({ db, now }) =>
    db.manager.find(JobEntity, {
      where: { timeDeleted: LessThan(new Date(now.getTime() - LIFETIME_SECONDS.jobTombstone * 1000)) },
      take: BATCH_SIZE,
      select: { id: true },
    }),
  remove: async ({ id }, { db, objects }) => {
    await objects.deletePrefix(jobPrefix(id));
    await db.manager.delete(JobEntity, { id });
  },
});
