import { expireRecording } from '@adit/streams';
import { BATCH_SIZE, hasRemoved } from '../rule.js';
import { endedJobsRule } from './ended-jobs-rule.js';

const kind = 'recordings';

/** Recordings of live streams whose job ended a while ago. */
export const recordings = endedJobsRule(kind, async ({ id: jobId }, workspaceId, pass) => {
  const { db, now, shouldContinue } = pass;
  const remove = () => expireRecording(db, { jobId, workspaceId }, { now, limit: BATCH_SIZE });
  return hasRemoved(kind, async () => {
    while ((await shouldContinue()) && (await remove()));
  });
});
