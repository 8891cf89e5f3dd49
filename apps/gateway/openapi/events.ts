import { EVENT_DATA, webhookBody } from '@adit/contracts';
import type { z } from 'zod';
import type { JsonSchemas } from './json-schemas.js';

type Json = Record<string, unknown>;

/** Headers of every delivery, those of Standard Webhooks, by the name of their component. */
export const DELIVERY_HEADERS: Record<string, Json> = {
  WebhookId: header('webhook-id', 'The same at every attempt: ignore one that was handled'),
  WebhookTimestamp: header('webhook-timestamp', 'When this attempt was made: Unix seconds'),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and base64 of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`; two while two secrets are valid',
  ),
};

function header(name: string, description: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' } };
}

/** Requests that receivers get, by the event. */
export function eventOperations(schemas: JsonSchemas): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(EVENT_DATA).map(([event, data]) => [event, { post: eventOperation(event, data, schemas) }]),
  );
}

function eventOperation(event: string, data: z.ZodObject, schemas: JsonSchemas): Json {
  const words = event.split(/[._]/);
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return {
    operationId: `event${name}`,
    summary: event,
    description: event.startsWith('job.')
      ? `Sent to the \`callback\` of a job whose \`webhook\` asks for it; \`${event.replace('job.', 'job.<module>.')}\` tells of one of its modules.`
      : 'Sent to the webhooks of the workspace that ask for it.',
    tags: ['Sent events'],
    parameters: Object.keys(DELIVERY_HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemas.of(webhookBody(event, data), 'output', `${name}Event`) } },
    },
    responses: {
      '2XX': { description: 'It was taken. Any other answer, or none within 15 s, and it is sent again' },
      '410': { description: 'Nothing more is to be sent' },
    },
  };
}
