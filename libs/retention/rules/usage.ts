import { LIFETIME_SECONDS } from '@adit/contracts';
import { forgetUsage } from '@adit/usage';
import { BATCH_SIZE, batchRule } from '../rule.js';

/** Days of usage that nobody can ask for any more. */
export const usage = batchRule('usage', ({ db, now }) => {
  const before = new Date(now.getTime() - LIFETIME_SECONDS.usage * 1000);
  return forgetUsage(db, before.toISOString().slice(0, 10), BATCH_SIZE);
});
