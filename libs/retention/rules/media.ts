import { expiredMedia, removeExpiredMedia, type CachePosition } from '@adit/jobs';
import { BATCH_SIZE, hasRemoved, pagedRule } from '../rule.js';

const kind = 'media';

/** Facts, grids and indexes of media that no running job uses. */
export const media = pagedRule<CachePosition>(kind, async ({ db, now, shouldContinue }, after) => {
  const found = await expiredMedia(db, { now, after, limit: BATCH_SIZE });
  let removed = 0;
  for (const row of found.due) {
    if (!(await shouldContinue())) return { removed, after: null };
    if (await hasRemoved(kind, () => removeExpiredMedia(db, row, now))) removed += 1;
  }
  return { removed, after: found.after };
});
