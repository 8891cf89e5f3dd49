import { IsoTime, pageOf, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Message } from '../http/shapes.js';

const tag = 'API keys';

export const ApiKey = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  /** First characters of the key, to recognise it. */
  prefix: z.string(),
  role: z.enum(['admin', 'member']),
  time_created: IsoTime,
  time_last_used: IsoTime.nullable(),
});

/** `key` is shown this once. */
export const NewApiKey = ApiKey.extend({ key: z.string() });

export const listKeys = defineRoute({
  method: 'GET',
  path: '/v1/api-keys/',
  summary: 'List the API keys of the workspace',
  tag,
  access: 'admin',
  query: PageQuery,
  reply: pageOf(ApiKey),
});

export const createKey = defineRoute({
  method: 'POST',
  path: '/v1/api-keys/',
  summary: 'Create an API key; the reply shows it once',
  tag,
  access: 'admin',
  secret: true,
  body: z.strictObject({
    name: z.string().trim().min(1).max(100),
    role: z.enum(['admin', 'member']).default('member'),
  }),
  reply: NewApiKey,
  example: { body: { name: 'newsroom', role: 'member' } },
});

export const deleteKey = defineRoute({
  method: 'DELETE',
  path: '/v1/api-keys/:keyId/',
  summary: 'Revoke an API key',
  tag,
  access: 'admin',
  params: z.object({ keyId: z.string() }),
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

const SigningSecret = z.strictObject({ signing_secret: z.string() });

export const readSecret = defineRoute({
  method: 'GET',
  path: '/v1/signing-secret/',
  summary: 'The secret that signs the webhooks of jobs',
  tag: 'Webhooks',
  access: 'admin',
  reply: SigningSecret,
});

export const renewSecret = defineRoute({
  method: 'POST',
  path: '/v1/signing-secret/',
  summary: 'Replace the signing secret; the old one is void at once',
  tag: 'Webhooks',
  access: 'admin',
  secret: true,
  reply: SigningSecret,
});
