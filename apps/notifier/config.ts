import { publicUrl } from '@adit/jobs';
import { setting } from '@adit/runtime';
import { ReceiverSettings } from '@adit/webhooks';
import { z } from 'zod';

/** Settings of the notifier, in addition to those of every process. */
export const NotifierConfig = z.object({
  publicUrl,
  ...ReceiverSettings.shape,
  webhookTimeoutSeconds: setting(
    'ADIT_WEBHOOK_TIMEOUT_SECONDS',
    z.number().positive().max(60).default(15),
    'How long a webhook’s receiver may take, from connecting to the status of its answer. The body does not count.',
  ),
  webhookConcurrency: setting(
    'ADIT_WEBHOOK_CONCURRENCY',
    z.int().positive().max(4096).default(256),
    'Webhooks that one notifier sends at the same time.',
  ),
  webhooksPerReceiver: setting(
    'ADIT_WEBHOOKS_PER_RECEIVER',
    z.int().positive().max(256).default(16),
    'Webhooks that one notifier sends to one host at the same time; one that does not answer gets a single one.',
  ),
  webhookRetentionDays: setting(
    'ADIT_WEBHOOK_RETENTION_DAYS',
    z.number().positive().default(30),
    'How long deliveries that ended and their attempts are kept. Those of a deleted job go with it.',
  ),
});
export type NotifierConfig = z.infer<typeof NotifierConfig>;

/** Injection token of the NotifierConfig. */
export const NOTIFIER_CONFIG = Symbol('NotifierConfig');
