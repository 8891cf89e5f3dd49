import { workOffRemovals } from '@adit/object-removals';
import { storeRule } from '../rule.js';

/** Objects whose rows are gone. */
export const objectRemovals = storeRule('objects', ({ db, objects, now, shouldContinue }) =>
  workOffRemovals(db.manager, objects, now, shouldContinue),
);
