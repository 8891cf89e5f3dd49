import { expireUploads, FileRemovals, uploadsBefore, type UploadPosition } from '@adit/storage';
import { BATCH_SIZE, hasRemoved, timeLimited, type RetentionPass, type RetentionRule } from '../rule.js';
import { workspacesWith } from '../values.js';
import { removedRows } from '../metrics.js';

const kind = 'uploads';

/** Uploaded files. Those that a job, a legal hold or a dataset still needs are kept. */
export const uploads: RetentionRule = {
  kind,
  async apply(whole) {
    const pass = timeLimited(whole);
    for (const { workspaceId, seconds } of await workspacesWith(pass.db, 'uploads')) {
      await expireOf(workspaceId, new Date(pass.now.getTime() - seconds * 1000), pass);
    }
  },
};

async function expireOf(workspaceId: string, before: Date, pass: RetentionPass): Promise<void> {
  const removals = new FileRemovals(pass.db, pass.objects);
  let after: UploadPosition | null = null;
  do {
    if (!(await pass.shouldContinue())) return;
    const found: UploadPosition[] = await uploadsBefore(pass.db, { workspaceId, before, after, limit: BATCH_SIZE });
    if (found.length === 0) return;
    const ids = found.map(({ id }) => id);
    await hasRemoved(kind, async () => {
      const count = await expireUploads(pass.db, removals, workspaceId, ids);
      removedRows.inc({ kind }, count);
      if (count > 0) await removals.drain();
    });
    after = found.length < BATCH_SIZE ? null : (found.at(-1) ?? null);
  } while (after !== null);
}
