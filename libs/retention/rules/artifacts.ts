import { ArtifactEntity } from '@adit/database';
import { notedRemovals } from '@adit/object-removals';
import { LessThan } from 'typeorm';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Files of jobs and exports. */
export const artifacts = rowRule<ArtifactEntity>({
  kind: 'artifacts',
  find: ({ db, now }) =>
    db.manager.find(ArtifactEntity, { where: { timeExpiration: LessThan(now) }, take: BATCH_SIZE }),
  remove: ({ id }, { db, now }) =>
    db.query(
      `WITH gone AS (DELETE FROM artifacts WHERE id = $1 AND time_expiration < $2 RETURNING object_key)
       ${notedRemovals('SELECT object_key, false, $2::timestamptz FROM gone')}`,
      [id, now],
    ),
});
