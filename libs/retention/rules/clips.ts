import { expireClip, expiredClips } from '@adit/artifacts';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Clips of segments. */
export const clips = rowRule<{ id: string }>({
  kind: 'clips',
  find: ({ db, now }) => expiredClips(db, now, BATCH_SIZE),
  remove: ({ id }, { db, now }) => expireClip(db, id, now),
});
