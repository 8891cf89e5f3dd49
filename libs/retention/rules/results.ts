import { hasRemoved } from '../rule.js';
import { endedJobsRule } from './ended-jobs-rule.js';

const kind = 'results';

/** Jobs that ended longer ago than their workspace keeps results. */
export const results = endedJobsRule(kind, ({ id }, _workspaceId, { jobs }, before) =>
  hasRemoved(kind, () => jobs.expireEndedBefore(id, before)),
);
