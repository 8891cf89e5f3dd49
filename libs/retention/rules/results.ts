import { endedJobs, type EndedJobRow } from '@adit/jobs';
import { BATCH_SIZE, hasRemoved, timeLimited, type RetentionPass, type RetentionRule } from '../rule.js';
import { workspacesWith } from '../values.js';
import { removedRows } from '../metrics.js';

const kind = 'results';

/** Jobs that ended longer ago than their workspace keeps results. */
export const results: RetentionRule = {
  kind,
  async apply(whole) {
    const pass = timeLimited(whole);
    for (const { workspaceId, seconds } of await workspacesWith(pass.db, 'results')) {
      await expireOf(workspaceId, new Date(pass.now.getTime() - seconds * 1000), pass);
    }
  },
};

async function expireOf(workspaceId: string, before: Date, pass: RetentionPass): Promise<void> {
  let after: EndedJobRow | null = null;
  do {
    const found: EndedJobRow[] = await endedJobs(pass.db, { workspaceId, before, after, limit: BATCH_SIZE });
    for (const { id, isHeld } of found) {
      if (!(await pass.shouldContinue())) return;
      if (!isHeld && (await hasRemoved(kind, () => pass.jobs.expireEndedBefore(id, before)))) removedRows.inc({ kind });
    }
    after = found.length < BATCH_SIZE ? null : (found.at(-1) ?? null);
  } while (after !== null);
}
