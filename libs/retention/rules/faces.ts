import { inTransaction } from '@adit/database';
import { expireFaces, type FacePosition } from '@adit/search';
import { removedRows } from '../metrics.js';
import { BATCH_SIZE, hasRemoved, timeLimited, walkOn, type RetentionPass, type RetentionRule } from '../rule.js';
import { workspacesWith, type WorkspaceRetention } from '../values.js';

const kind = 'faces';

/** Faces that searches by a photo compare; where a workspace keeps none, those that it kept. */
export const faces: RetentionRule = {
  kind,
  async apply(whole) {
    const pass = timeLimited(whole);
    for (const workspace of await workspacesWith(pass.db, kind)) await expireOf(workspace, pass);
  },
};

function expireOf({ workspaceId, seconds, heldTags }: WorkspaceRetention, pass: RetentionPass): Promise<void> {
  const before = new Date(pass.now.getTime() - seconds * 1000);
  const basis = JSON.stringify([seconds, heldTags]);
  return walkOn<FacePosition>(pass.walks.faces, { workspaceId, basis, now: pass.now }, async (after) => {
    if (!(await pass.shouldContinue())) return null;
    let looked: { removed: number; after: FacePosition | null } = { removed: 0, after: null };
    const isDone = await hasRemoved(kind, async () => {
      looked = await inTransaction(pass.db, (manager) =>
        expireFaces(manager, { workspaceId, before, after, limit: BATCH_SIZE }),
      );
      removedRows.inc({ kind }, looked.removed);
    });
    // The next pass tries again.
    return isDone ? { after: looked.after ?? after, more: looked.after !== null } : null;
  });
}
