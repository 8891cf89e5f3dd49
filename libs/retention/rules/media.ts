import type { MediaEntity } from '@adit/database';
import { expiredMedia, removeExpiredMedia } from '@adit/jobs';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Facts, grids and indexes of media that no running job uses. */
export const media = rowRule<MediaEntity>({
  kind: 'media',
  find: ({ db, now }) => expiredMedia(db, now, BATCH_SIZE),
  remove: (row, { db, now }) => removeExpiredMedia(db, row, now),
});
