import { LIFETIME_SECONDS } from '@adit/contracts';
import { expireQuestions } from '@adit/online-inference';
import { storeRule } from '../rule.js';

/** Online inference requests that clients no longer wait for. */
export const onlineInferences = storeRule('online_inferences', ({ db, now }) =>
  expireQuestions(db.manager, new Date(now.getTime() - LIFETIME_SECONDS.onlineInference * 1000)),
);
