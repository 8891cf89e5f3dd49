import { ObservationEntity } from '@adit/database';
import { mediaInUse } from '@adit/jobs';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Cached observations. Those that a running job still needs are kept until it has ended. */
export const observations = rowRule<ObservationEntity>({
  kind: 'observations',
  find: ({ db, now }) =>
    db
      .createQueryBuilder(ObservationEntity, 'o')
      .where('o.time_expires < :now', { now })
      .andWhere(`NOT ${mediaInUse('o.workspace_id', 'o.media_digest')}`)
      .take(BATCH_SIZE)
      .getMany(),
  // Observations that were made anew since they were found stay, and so does their file.
  remove: ({ workspaceId, mediaDigest, interval, analysisDigest }, { db, now }) =>
    db.query(
      `WITH gone AS (
         DELETE FROM observations WHERE workspace_id = $1 AND media_digest = $2 AND interval = $3
            AND analysis_digest = $4 AND time_expires < $5 AND NOT ${mediaInUse('$1', '$2')} RETURNING object_key)
       INSERT INTO object_removals (prefix, time_due)
       SELECT regexp_replace(object_key, '[^/]*$', ''), $5::timestamptz FROM gone`,
      [workspaceId, mediaDigest, interval, analysisDigest, now],
    ),
});
