import { z } from 'zod';
import { pageOf } from '../values/pagination.js';
import { IsoTime } from '../values/time.js';
import { ResourceEventName } from './webhook-events.js';

const url = z.url({ protocol: /^https?$/ }).max(2048);
/** `whsec_` announces a key in the form of Standard Webhooks, which has to be one. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;
const secret = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => !text.startsWith('whsec_') || BASE64.test(text.slice(6)), 'base64 has to follow whsec_')
  .describe('Signs what is sent');
const description = z.string().max(1000);
const enabled = z.boolean().describe('false: nothing is sent; true begins again');

/** POST and PUT /v1/webhooks/. */
export const WebhookRequest = z.strictObject({
  event: ResourceEventName.describe('The one event that it is told of'),
  url: url.describe('http(s) address that the event is posted to'),
  hmac_secret: secret,
  description: description.default('').describe('Description; default: empty'),
  enabled: enabled.default(true),
});
export type WebhookRequest = z.infer<typeof WebhookRequest>;

export const WebhookChange = z.strictObject({
  event: ResourceEventName.optional().describe('The one event that it is told of'),
  url: url.optional().describe('http(s) address that the event is posted to'),
  hmac_secret: secret.optional(),
  description: description.optional().describe('Description'),
  enabled: enabled.optional(),
});
export type WebhookChange = z.infer<typeof WebhookChange>;

export const Webhook = z.strictObject({
  id: z.uuid().describe('Id of the webhook'),
  event: ResourceEventName.describe('The one event that it is told of'),
  url: z.string().describe('Address that the event is posted to'),
  hmac_secret: z.string().nullable().describe('Null for who may not change the webhook: API keys of the role reader'),
  description: z.string().describe('Description by its owner; may be empty'),
  time_created: IsoTime.describe('When it was created'),
  exp_backoff: z.boolean().describe('Reserved, has no effect: deliveries are always tried again at growing intervals'),
  retry_limit: z.int().describe('Reserved, has no effect: says how often a delivery is tried'),
  enabled: z.boolean().describe('Whether events are sent'),
  disabled_reason: z
    .string()
    .nullable()
    .describe('Why Adit disabled it; null while it is enabled, or was disabled by a client'),
  time_disabled: IsoTime.nullable().describe('When it was disabled; null while it is enabled'),
});
export type Webhook = z.infer<typeof Webhook>;
export const WebhookPage = pageOf(Webhook);

/** pending: will be tried (again) · delivered · failed: tried for the last time · gone: the receiver answered 410. */
export const WebhookMessageState = z.enum(['pending', 'delivered', 'failed', 'gone']);

/** One event on its way to one webhook. */
export const WebhookMessage = z.strictObject({
  message_id: z
    .uuid()
    .describe('The receiver sees it as `webhook-id` and as `id` in the body, the same at every attempt'),
  event: z.string().describe('Name of the event'),
  state: WebhookMessageState.describe('Whether it was delivered, or will be tried again'),
});
export type WebhookMessage = z.infer<typeof WebhookMessage>;

export const WebhookAttempt = z.strictObject({
  id: z.string().describe('Id of the attempt'),
  message_id: z.uuid().describe('Message that was sent, the same at every attempt'),
  event: z.string().describe('Name of the event'),
  attempt: z.int().positive().describe('Number of the attempt at this message, from 1'),
  time_started: IsoTime.describe('When it was sent'),
  duration: z.number().nonnegative().describe('Seconds that it took'),
  status: z.int().nullable().describe('HTTP status of the answer; null when none came'),
  error: z.string().nullable().describe('Why it did not succeed; null when it did'),
  response: z
    .string()
    .nullable()
    .describe("Beginning of the answer's body, at most 4096 bytes; null when no answer came"),
  state: WebhookMessageState.describe('State of the message now'),
  time_next: IsoTime.nullable().describe('When the message is tried again; null when it is not'),
});
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;
export const WebhookAttemptPage = pageOf(WebhookAttempt);
