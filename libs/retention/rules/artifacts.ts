import { expireArtifacts } from '@adit/artifacts';
import { BATCH_SIZE, batchRule } from '../rule.js';

/** Files of jobs and exports. */
export const artifacts = batchRule('artifacts', ({ db, now }) => expireArtifacts(db, now, BATCH_SIZE));
