import { LIFETIME_SECONDS } from '@adit/contracts';
import { LookEntity, ProbeEntity } from '@adit/database';
import { LessThan } from 'typeorm';
import { storeRule } from '../rule.js';

/** Online inference requests that clients no longer wait for. */
export const onlineInferences = storeRule('online_inferences', async ({ db, now }) => {
  const timeCreated = LessThan(new Date(now.getTime() - LIFETIME_SECONDS.onlineInference * 1000));
  await db.manager.delete(ProbeEntity, { timeCreated });
  await db.manager.delete(LookEntity, { timeCreated });
});
