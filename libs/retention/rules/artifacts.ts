import { ArtifactEntity } from '@adit/database';
import { expireArtifact } from '@adit/artifacts';
import { LessThan } from 'typeorm';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Files of jobs and exports. */
export const artifacts = rowRule<ArtifactEntity>({
  kind: 'artifacts',
  find: ({ db, now }) =>
    db.manager.find(ArtifactEntity, { where: { timeExpiration: LessThan(now) }, take: BATCH_SIZE }),
  remove: ({ id }, { db, now }) => expireArtifact(db, id, now),
});
