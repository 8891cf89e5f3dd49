import { expiredRecordings, expireRecording } from '@adit/streams';
import { BATCH_SIZE, rowRule } from '../rule.js';

/** Recordings of live streams whose job ended a while ago. */
export const recordings = rowRule<{ jobId: string; workspaceId: string }>({
  kind: 'recordings',
  find: ({ db, now }) => expiredRecordings(db, now, BATCH_SIZE),
  remove: async (job, { db, now, shouldContinue }) => {
    while ((await shouldContinue()) && (await expireRecording(db, job, { now, limit: BATCH_SIZE })));
  },
});
