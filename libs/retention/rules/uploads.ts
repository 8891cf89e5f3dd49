import { expireUploads, FileRemovals, uploadsBefore, type UploadPosition } from '@adit/storage';
import { BATCH_SIZE, hasRemoved, timeLimited, walkOn, type RetentionPass, type RetentionRule } from '../rule.js';
import { workspacesWith, type WorkspaceRetention } from '../values.js';
import { removedRows } from '../metrics.js';

const kind = 'uploads';

/** Uploaded files. Those that a job, a legal hold or a dataset still needs are kept. */
export const uploads: RetentionRule = {
  kind,
  async apply(whole) {
    const pass = timeLimited(whole);
    for (const workspace of await workspacesWith(pass.db, 'uploads')) await expireOf(workspace, pass);
  },
};

function expireOf({ workspaceId, seconds, heldTags }: WorkspaceRetention, pass: RetentionPass): Promise<void> {
  const { db, now, objects } = pass;
  const before = new Date(now.getTime() - seconds * 1000);
  const basis = JSON.stringify([seconds, heldTags]);
  const removals = new FileRemovals(db, objects);
  return walkOn(pass.walks.uploads, { workspaceId, basis, now }, async (after) => {
    if (!(await pass.shouldContinue())) return null;
    const found: UploadPosition[] = await uploadsBefore(db, { workspaceId, before, after, limit: BATCH_SIZE });
    const last = found.at(-1);
    if (last === undefined) return { after, more: false };
    const ids = found.map(({ id }) => id);
    const isDone = await hasRemoved(kind, async () => {
      const count = await expireUploads(db, removals, workspaceId, ids);
      removedRows.inc({ kind }, count);
      if (count > 0) await removals.drain();
    });
    // The next pass tries again.
    return isDone ? { after: last, more: found.length === BATCH_SIZE } : null;
  });
}
