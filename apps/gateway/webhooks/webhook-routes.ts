import {
  Webhook,
  WebhookAttemptPage,
  WebhookChange,
  WebhookMessage,
  WebhookPage,
  WebhookRequest,
  PageQuery,
  TEST_EVENT,
} from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { inPages, Message, OptionalPage, UuidInPath } from '../http/shapes.js';

const tag = 'Webhooks';
const params = z.object({ webhookId: UuidInPath.describe('Id of the webhook') });

const body = {
  event: 'svc.export.on_completed' as const,
  url: 'https://newsroom.example.org/adit',
  hmac_secret: 'a secret of yours',
  description: 'newsroom',
};
const example = {
  id: '7f9c24e8-3b1d-4c59-9a44-5f4e6f1b2d37',
  ...body,
  time_created: '2026-11-21T07:00:00.000000Z',
  exp_backoff: true,
  retry_limit: 8,
  enabled: true,
  disabled_reason: null,
  time_disabled: null,
};

const messageId = 'a5c9e1f3-7b2d-4680-9e4c-1d3f5a7b9c0e';
const moved = { url: 'https://newsroom.example.org/hooks/adit' };

export const listWebhooks = defineRoute({
  method: 'GET',
  path: '/v1/webhooks/',
  summary: 'List the webhooks of the workspace',
  description:
    'A plain list of all; with `offset` or `limit` it comes in pages. `hmac_secret` is null for API keys of the role reader.',
  tag,
  query: OptionalPage,
  reply: z.array(Webhook),
  otherwise: inPages(WebhookPage),
  secret: true,
  example: { reply: [example] },
});

export const createWebhook = defineRoute({
  method: 'POST',
  path: '/v1/webhooks/',
  summary: 'Be told of an event by HTTP POST',
  description:
    'One webhook is one event and one address. Deliveries are signed with `hmac_secret`, and tried again for about a day.',
  tag,
  body: WebhookRequest,
  secret: true,
  reply: Webhook,
  example: { body, reply: example },
});

export const getWebhook = defineRoute({
  method: 'GET',
  path: '/v1/webhooks/:webhookId/',
  summary: 'Read a webhook',
  secret: true,
  description:
    'With what became of it: `enabled`, and `disabled_reason` when a receiver answered 410. `hmac_secret` is null for API keys of ' +
    'the role reader.',
  tag,
  params,
  reply: Webhook,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

const changing =
  'What is still to be delivered goes to the new `url`. After a new `hmac_secret` the one before goes on signing beside it ' +
  'for 24 hours. `enabled: true` begins again with one that was disabled.';

export const replaceWebhook = defineRoute({
  method: 'PUT',
  path: '/v1/webhooks/:webhookId/',
  summary: 'Replace a webhook',
  description: changing,
  tag,
  params,
  body: WebhookRequest,
  secret: true,
  reply: Webhook,
  errors: ['NOT_FOUND'],
});

export const changeWebhook = defineRoute({
  method: 'PATCH',
  path: '/v1/webhooks/:webhookId/',
  summary: 'Change what is sent',
  description: changing,
  tag,
  params,
  body: WebhookChange,
  secret: true,
  reply: Webhook,
  errors: ['NOT_FOUND'],
  example: { body: moved, reply: { ...example, ...moved } },
});

export const deleteWebhook = defineRoute({
  method: 'DELETE',
  path: '/v1/webhooks/:webhookId/',
  summary: 'Remove a webhook and its log; nothing more is sent',
  description: 'Pending deliveries are dropped.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `Webhook ${example.id} was deleted.` } },
});

export const testWebhook = defineRoute({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/test/',
  summary: 'Send the event svc.webhook.on_test; how it went is in the attempts',
  description: 'Answers before it is delivered. 409 for a webhook that is disabled.',
  tag,
  params,
  reply: WebhookMessage,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    reply: { message_id: '1e7c3a59-8d4b-4f06-b2a1-6c9e0d5f7b38', event: TEST_EVENT, state: 'pending' },
  },
});

export const listAttempts = defineRoute({
  method: 'GET',
  path: '/v1/webhooks/:webhookId/attempts/',
  summary: 'Attempts to deliver, newest first',
  description: 'A page of attempts with the status, the time taken and the beginning of the answer of each.',
  tag,
  params,
  query: PageQuery.extend({
    message_id: z.string().max(64).optional().describe('Id of a message, to list only its attempts'),
  }),
  reply: WebhookAttemptPage,
  errors: ['NOT_FOUND'],
  example: {
    reply: examplePage({
      id: '118',
      message_id: messageId,
      event: example.event,
      attempt: 1,
      time_started: '2026-11-21T07:05:00.000000Z',
      duration: 0.084,
      status: 503,
      error: 'The receiver answered 503.',
      response: 'Back in a minute',
      state: 'pending',
      time_next: '2026-11-21T07:05:05.000000Z',
    }),
  },
});

export const replayAttempt = defineRoute({
  method: 'POST',
  path: '/v1/webhooks/:webhookId/attempts/:attemptId/replay/',
  summary: 'Send the message of an attempt again, under the same id',
  description: 'Takes the id of an attempt or of a message. The schedule of retries begins anew.',
  tag,
  params: params.extend({ attemptId: z.string().describe('`id` of one of the attempts') }),
  reply: WebhookMessage,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { reply: { message_id: messageId, event: example.event, state: 'pending' } },
});
