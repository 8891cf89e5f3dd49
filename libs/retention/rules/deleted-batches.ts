import { storeRule } from '../rule.js';

/** Deletions of batches that the process which began them did not finish. */
export const deletedBatches = storeRule('batches', ({ batches, now, shouldContinue }) =>
  batches.finishDeletions(now, shouldContinue),
);
