import { IsoTime, pageOf, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Message } from '../http/shapes.js';

const tag = 'API keys';
const params = z.object({ keyId: z.string() });
const name = z.string().trim().min(1).max(100);
const role = z
  .enum(['admin', 'member', 'reader'])
  .describe('admin: everything; member: everything but keys and the audit log; reader: reads what a member may read');
const limit = (most: number) => z.int().min(0).max(most).nullable();
const requestsPerSecond = limit(1_000_000).describe('Null: as the gateway is configured; 0: no limit');
const jobsPerDay = limit(1_000_000_000).describe('Null: as the gateway is configured; 0: no limit');

export const ApiKey = z.strictObject({
  id: z.uuid(),
  name: z.string(),
  /** First characters of the key, to recognise it. */
  prefix: z.string(),
  role,
  requests_per_second: requestsPerSecond,
  jobs_per_day: jobsPerDay,
  time_created: IsoTime,
  time_last_used: IsoTime.nullable(),
  /** Set when it was rotated. */
  time_expires: IsoTime.nullable(),
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

export const getKey = defineRoute({
  method: 'GET',
  path: '/v1/api-keys/:keyId/',
  summary: 'Read an API key',
  tag,
  access: 'admin',
  params,
  reply: ApiKey,
  errors: ['NOT_FOUND'],
});

export const createKey = defineRoute({
  method: 'POST',
  path: '/v1/api-keys/',
  summary: 'Create an API key; the reply shows it once',
  tag,
  access: 'admin',
  secret: true,
  credential: true,
  body: z.strictObject({
    name,
    role: role.default('member'),
    requests_per_second: requestsPerSecond.default(null),
    jobs_per_day: jobsPerDay.default(null),
  }),
  reply: NewApiKey,
  example: { body: { name: 'newsroom', role: 'member' } },
});

export const changeKey = defineRoute({
  method: 'PATCH',
  path: '/v1/api-keys/:keyId/',
  summary: 'Change the name, role or limits of an API key',
  tag,
  access: 'admin',
  credential: true,
  params,
  body: z.strictObject({
    name: name.optional(),
    role: role.optional(),
    requests_per_second: requestsPerSecond.optional(),
    jobs_per_day: jobsPerDay.optional(),
  }),
  reply: ApiKey,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const rotateKey = defineRoute({
  method: 'POST',
  path: '/v1/api-keys/:keyId/rotate/',
  summary: 'Replace an API key by a new one with its name, role and limits; the reply shows it once',
  description: 'The old one is good for `overlap_seconds` more, then it is refused. The new one has an id of its own.',
  tag,
  access: 'admin',
  secret: true,
  credential: true,
  params,
  body: z.strictObject({ overlap_seconds: z.int().min(0).max(604_800).default(0) }).default({ overlap_seconds: 0 }),
  reply: NewApiKey,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { body: { overlap_seconds: 86_400 } },
});

export const deleteKey = defineRoute({
  method: 'DELETE',
  path: '/v1/api-keys/:keyId/',
  summary: 'Revoke an API key',
  tag,
  access: 'admin',
  credential: true,
  params,
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
  summary: 'Replace the signing secret; the old one goes on signing beside it for 24 hours',
  tag: 'Webhooks',
  access: 'admin',
  secret: true,
  credential: true,
  reply: SigningSecret,
});
