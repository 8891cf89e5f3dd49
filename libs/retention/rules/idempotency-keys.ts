import { LIFETIME_SECONDS } from '@adit/contracts';
import { storeRule } from '../rule.js';

/**
 * Outcomes of requests under their Idempotency-Key: answered ones until their expiry, unanswered ones for a day after
 * they were done.
 */
export const idempotencyKeys = storeRule('idempotency_keys', ({ db, now }) =>
  db.query(
    `DELETE FROM idempotency_keys
      WHERE time_expires < $1 AND (status IS NOT NULL OR time_done IS NULL OR time_done < $2)`,
    [now, new Date(now.getTime() - LIFETIME_SECONDS.idempotencyKey * 1000)],
  ),
);
