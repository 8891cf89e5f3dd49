import { AditError, type JobWebhook } from '@adit/contracts';
import { receiverPolicy, webAddressFault, type ReceiverSettings } from '@adit/webhooks';

/** Refuses a callback that could never be delivered to, as far as its address says so. Throws VALIDATION. */
export function checkCallback(webhook: JobWebhook | undefined, settings: ReceiverSettings): void {
  if (webhook === undefined) return;
  const fault = webAddressFault(new URL(webhook.callback), receiverPolicy(settings));
  if (fault === null) return;
  const message = `The callback is refused: ${fault}.`;
  throw new AditError('VALIDATION', message, {
    errors: [{ pointer: '/webhook/callback', code: 'callback_refused', message }],
  });
}
