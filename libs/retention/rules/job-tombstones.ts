import { LIFETIME_SECONDS } from '@adit/contracts';
import { jobPrefix, removeTombstone, tombstonesBefore } from '@adit/jobs';
import { BATCH_SIZE, rowRule } from '../rule.js';

/**
 * Rows of deleted jobs. No lease of work in flight is left by now, so objects that such work wrote late are removed
 * too.
 */
export const jobTombstones = rowRule<{ id: string }>({
  kind: 'tombstones',
  find: ({ db, now }) =>
    tombstonesBefore(db, new Date(now.getTime() - LIFETIME_SECONDS.jobTombstone * 1000), BATCH_SIZE),
  remove: async ({ id }, { db, objects }) => {
    await objects.deletePrefix(jobPrefix(id));
    await removeTombstone(db, id);
  },
});
