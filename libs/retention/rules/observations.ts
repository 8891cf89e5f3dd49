import { expireObservations, type CachePosition } from '@adit/jobs';
import { BATCH_SIZE, pagedRule } from '../rule.js';

/** Cached observations. Those that a running job or a legal hold still needs are kept. */
export const observations = pagedRule<CachePosition>('observations', ({ db, now }, after) =>
  expireObservations(db, { now, after, limit: BATCH_SIZE }),
);
