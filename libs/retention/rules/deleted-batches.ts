import { storeRule } from '../rule.js';

/** Deletions of batches that their process did not finish. */
export const deletedBatches = storeRule('batches', ({ batches, now, shouldContinue }) =>
  batches.finishDeletions(now, shouldContinue),
);
