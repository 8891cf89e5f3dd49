import { LIFETIME_SECONDS } from '@adit/contracts';
import { expireKeys } from '@adit/idempotency';
import { BATCH_SIZE, batchRule } from '../rule.js';

/**
 * Outcomes of requests under their Idempotency-Key: answered ones until their expiry, unanswered ones for a day after
 * they were done.
 */
export const idempotencyKeys = batchRule('idempotency_keys', ({ db, now }) =>
  expireKeys(db, {
    now,
    doneBefore: new Date(now.getTime() - LIFETIME_SECONDS.idempotencyKey * 1000),
    limit: BATCH_SIZE,
  }),
);
