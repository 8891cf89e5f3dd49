export { messageBody } from './body.js';
export {
  claimDeliveries,
  dueBacklog,
  recordAttempts,
  removeEndedDeliveries,
  storeDeliveries,
  type AttemptRecord,
  type ClaimedDelivery,
} from './delivery-store.js';
export { receiverOf, type NewDelivery } from './new-delivery.js';
export type { SecretSource } from './secret-source.js';
export { FORMER_SECRET_MILLISECONDS, validSecrets } from './secrets.js';
export { MAX_ATTEMPTS, RETRY_DELAYS_SECONDS, retryDelay } from './schedule.js';
export { Sender, type Answer, type SenderOptions } from './sender.js';
export { webAddressFault } from '@adit/net';
export { ReceiverSettings, receiverPolicy } from './settings.js';
export { hmacSignature, standardHeaders } from './signing.js';
export { verifyMessage, type Verdict } from './verify.js';
export {
  deliveryState,
  endPending,
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
export * from './erased-messages.js';
export * from './erasure-of-workspace.js';
export * from './webhooks.js';
export * from './workspace-events.js';
