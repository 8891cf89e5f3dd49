import { putOffArtifactExpiry } from '@adit/artifacts';
import { WorkspaceEntity } from '@adit/database';
import { endedJobs, putOffExpiry, putOffMediaExpiry, type EndedJobRow } from '@adit/jobs';
import { IsNull } from 'typeorm';
import { BATCH_SIZE, timeLimited, type RetentionPass, type RetentionRule } from '../rule.js';

/** Time for which the expiry of what is held is put off. */
const PUT_OFF_MILLISECONDS = 24 * 3_600_000;
/** Time after which it is put off again. */
const AGAIN_MILLISECONDS = 6 * 3_600_000;
/** Jobs of one statement: each may have many observations. */
const JOBS_PER_STATEMENT = 20;

/**
 * Puts off the expiry of what is under a legal hold, so that clients go on finding it, and the other rules do not come upon
 * it in each pass. What deletes checks the hold itself.
 */
export const heldJobs: RetentionRule = {
  kind: 'held_jobs',
  async apply(whole) {
    const pass = timeLimited(whole);
    const workspaces = await pass.db.manager.find(WorkspaceEntity, {
      where: { timeDeleted: IsNull() },
      select: { id: true, heldTags: true },
    });
    for (const { id, heldTags } of workspaces) {
      if (heldTags.length > 0) await putOffAll(id, JSON.stringify(heldTags.toSorted()), pass);
    }
  },
};

async function putOffAll(workspaceId: string, tags: string, pass: RetentionPass): Promise<void> {
  const { db, now, putOff, shouldContinue } = pass;
  const former = putOff.get(workspaceId);
  const isKnown = former?.tags === tags;
  if (isKnown && former.after === null && now.getTime() - former.time < AGAIN_MILLISECONDS) return;
  const until = new Date(now.getTime() + PUT_OFF_MILLISECONDS);
  let after = isKnown ? former.after : null;
  do {
    const found: EndedJobRow[] = await endedJobs(db, { workspaceId, before: now, after, limit: BATCH_SIZE });
    const held = found.filter(({ isHeld }) => isHeld).map(({ id }) => id);
    for (let at = 0; at < held.length; at += JOBS_PER_STATEMENT) {
      // The next pass goes on behind the last jobs that are done.
      if (!(await shouldContinue())) return;
      const some = held.slice(at, at + JOBS_PER_STATEMENT);
      await putOffExpiry(db.manager, some, until);
      await putOffArtifactExpiry(db.manager, some, until);
      await putOffMediaExpiry(db.manager, some, until);
    }
    after = found.length < BATCH_SIZE ? null : (found.at(-1) ?? null);
    putOff.set(workspaceId, { tags, time: now.getTime(), after });
  } while (after !== null);
}
