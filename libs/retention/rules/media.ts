import { MediaEntity } from '@adit/database';
import { mediaInUse } from '@adit/jobs';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Facts, grids and indexes of media that no running job uses. */
export const media = rowRule<MediaEntity>({
  kind: 'media',
  find: ({ db, now }) =>
    db
      .createQueryBuilder(MediaEntity, 'm')
      .where('m.time_expires < :now', { now })
      .andWhere(`NOT ${mediaInUse('m.workspace_id', 'm.digest')}`)
      // Observations lie in the folder of their media and outlive none of it.
      .andWhere(
        'NOT EXISTS (SELECT 1 FROM observations o WHERE o.workspace_id = m.workspace_id AND o.media_digest = m.digest)',
      )
      .take(BATCH_SIZE)
      .getMany(),
  remove: ({ workspaceId, digest }, { db, now }) =>
    db.query(
      `WITH gone AS (
         DELETE FROM media WHERE workspace_id = $1 AND digest = $2 AND time_expires < $3
         RETURNING index_key, concat('media/', workspace_id, '/', digest, '/', generation, '/') AS folder, generation)
       INSERT INTO object_removals (prefix, again, time_due)
       SELECT prefix, true, $3::timestamptz FROM gone, unnest(ARRAY[index_key, CASE WHEN generation IS NOT NULL THEN folder END]) prefix
        WHERE prefix IS NOT NULL`,
      [workspaceId, digest, now],
    ),
});
