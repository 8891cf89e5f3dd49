import { AditError } from '@adit/contracts';
import { receiverPolicy, webAddressFault, type ReceiverSettings } from '@adit/webhooks';

/** Refuses a callback that could never be delivered to, as far as its address says so. Throws VALIDATION at `pointer`. */
export function checkCallback(callback: string | undefined, pointer: string, settings: ReceiverSettings): void {
  if (callback === undefined) return;
  const fault = webAddressFault(new URL(callback), receiverPolicy(settings));
  if (fault === null) return;
  const message = `The callback is refused: ${fault}.`;
  throw new AditError('VALIDATION', message, { errors: [{ pointer, code: 'callback_refused', message }] });
}
