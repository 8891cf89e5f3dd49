import { expireObservations } from '@adit/jobs';
import { BATCH_SIZE, batchRule } from '../rule.js';

/** Cached observations. Those that a running job or a legal hold still needs are kept. */
export const observations = batchRule('observations', ({ db, now }) => expireObservations(db, now, BATCH_SIZE));
