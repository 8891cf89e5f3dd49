import type { ObservationEntity } from '@adit/database';
import { expiredObservations, removeExpiredObservations } from '@adit/jobs';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Cached observations. Those that a running job still needs are kept until it has ended. */
export const observations = rowRule<ObservationEntity>({
  kind: 'observations',
  find: ({ db, now }) => expiredObservations(db, now, BATCH_SIZE),
  remove: (row, { db, now }) => removeExpiredObservations(db, row, now),
});
