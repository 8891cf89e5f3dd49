import { expireArtifacts, type ExpiryPosition } from '@adit/artifacts';
import { BATCH_SIZE, pagedRule } from '../rule.js';

/** Files of jobs and exports. */
export const artifacts = pagedRule<ExpiryPosition>('artifacts', ({ db, now }, after) =>
  expireArtifacts(db, { now, after, limit: BATCH_SIZE }),
);
