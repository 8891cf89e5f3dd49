export { messageBody, type Message } from './body.js';
export {
  claimDeliveries,
  dueBacklog,
  recordAttempts,
  removeEndedDeliveries,
  storeDeliveries,
  type AttemptRecord,
  type ClaimedDelivery,
  type ClaimOptions,
} from './delivery-store.js';
export { receiverOf, type NewDelivery, type SecretSource } from './new-delivery.js';
export { FORMER_SECRET_MILLISECONDS, validSecrets } from './secrets.js';
export { MAX_ATTEMPTS, RETRY_DELAYS_SECONDS, retryDelay } from './schedule.js';
export { Sender, type Answer, type SenderOptions } from './sender.js';
export { webAddressFault } from '@adit/net';
export { ReceiverSettings, receiverPolicy } from './settings.js';
export { hmacSignature, standardHeaders } from './signing.js';
export { TOLERANCE_SECONDS, verifyMessage, type SentMessage, type Verdict } from './verify.js';
export {
  deliveryStanding,
  endPending,
  FAILING_TOO_LONG_MILLISECONDS,
  forgetGone,
  noteWebhookHealth,
  redirectPending,
  removeDeliveriesOf,
  removeDeliveriesOfWorkspace,
  replayDelivery,
  WEBHOOK_KIND,
  webhookSubscription,
} from './webhook-store.js';
export * from './resource-events.js';
