import { removeDeletedCollections } from '@adit/indexes';
import { storeRule } from '../rule.js';

/** Rows of deleted face indexes. */
export const deletedIndexes = storeRule('indexes', ({ db, shouldContinue }) =>
  removeDeletedCollections(db.manager, shouldContinue),
);
