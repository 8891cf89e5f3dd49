import { endedJobs, type EndedJobRow } from '@adit/jobs';
import { BATCH_SIZE, timeLimited, walkOn, type RetentionPass, type RetentionRule } from '../rule.js';
import { workspacesWith, type WorkspaceRetention } from '../values.js';
import { removedRows } from '../metrics.js';

/** Removes what is over of a job that ended before `before`; false when that failed, and has to be tried again. */
type Remove = (job: EndedJobRow, workspaceId: string, pass: RetentionPass, before: Date) => Promise<boolean>;

/** Makes a rule over jobs that ended longer ago than their workspace keeps something of them. */
export function endedJobsRule(kind: 'results' | 'recordings', remove: Remove): RetentionRule {
  return {
    kind,
    async apply(whole) {
      const pass = timeLimited(whole);
      for (const workspace of await workspacesWith(pass.db, kind)) await walk(workspace, pass);
    },
  };

  function walk({ workspaceId, seconds, heldTags }: WorkspaceRetention, pass: RetentionPass): Promise<void> {
    const { now, db } = pass;
    const before = new Date(now.getTime() - seconds * 1000);
    const basis = JSON.stringify([seconds, heldTags]);
    const recorded = kind === 'recordings';
    return walkOn(pass.walks[kind], { workspaceId, basis, now }, async (after) => {
      const found = await endedJobs(db, { workspaceId, before, after, limit: BATCH_SIZE, recorded });
      let done = after;
      let failed = false;
      for (const job of found) {
        if (!(await pass.shouldContinue())) return null;
        if (!job.isHeld) {
          if (await remove(job, workspaceId, pass, before)) removedRows.inc({ kind });
          else failed = true;
        }
        // What could not be removed is the first of the next pass.
        if (!failed) done = job;
      }
      return { after: done, more: found.length === BATCH_SIZE && !failed };
    });
  }
}
