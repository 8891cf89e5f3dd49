import { JobErasureEntity } from '@adit/database';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Erasures of deleted jobs that their process did not finish. */
export const unfinishedErasures = rowRule<JobErasureEntity>({
  kind: 'erasures',
  find: ({ db }) => db.manager.find(JobErasureEntity, { order: { timeCreated: 'ASC' }, take: BATCH_SIZE }),
  remove: async ({ jobId }, { jobs, shouldContinue }) => {
    while ((await shouldContinue()) && !(await jobs.eraseSome(jobId)));
  },
});
