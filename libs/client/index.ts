export { AditClient } from './adit-client.js';
export { AditApiError, AditConnectionError, AditTimeoutError } from './errors.js';
export type { Picture } from './faces.js';
export type { JobOrder, Waiting } from './jobs.js';
export type { Input, Item, ListInputs, ListKey, OperationKey, Reply } from './request.js';
export type * from './schema.js';
export type { Resumption, Upload } from './storage.js';
export type { ClientOptions } from './transport.js';
export { verifyWebhook, WebhookVerificationError, type Received, type WebhookDelivery } from './verify-webhook.js';
