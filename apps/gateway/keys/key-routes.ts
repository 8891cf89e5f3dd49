import { IsoTime, pageOf, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Message, UuidInPath } from '../http/shapes.js';

const tag = 'API keys';
const params = z.object({ keyId: UuidInPath.describe('Id of the API key') });
/** Reserved for owners: changing an owner's key, and making a key an owner's. */
export const OWNERS_KEY = 'Only an API key of the role owner may do this.';
const name = z.string().trim().min(1).max(100);
const role = z.enum(['owner', 'admin', 'member', 'reader']).meta({
  id: 'ApiKeyRole',
  description:
    'owner: everything, workspaces too, made by owners only; admin: everything in its workspace; member: everything but keys and the audit log; reader: reads what a member may read',
});
const limit = (most: number) => z.int().min(0).max(most).nullable();
const requestsPerSecond = limit(1_000_000).describe(
  'Most requests a second. Null: as the gateway is configured; 0: no limit',
);
const jobsPerDay = limit(1_000_000_000).describe('Most jobs a day. Null: as the gateway is configured; 0: no limit');

/** Narrows a list of keys. */
export const MadeBy = {
  member_id: z
    .uuid()
    .optional()
    .describe('Id of a member, also of one who was removed: only keys that they made, or that such a key made'),
};

const ApiKey = z
  .strictObject({
    id: z.uuid().describe('Id of the API key'),
    name: z.string().describe('Name that its owner gave it'),
    prefix: z.string().describe('First characters of the key, to recognise it'),
    role: role.describe('Its rights'),
    requests_per_second: requestsPerSecond,
    jobs_per_day: jobsPerDay,
    time_created: IsoTime.describe('When it was created'),
    time_last_used: IsoTime.nullable().describe('When it was used last, exact to a minute; null when never'),
    time_expires: IsoTime.nullable().describe('When it ends, since it was rotated; null: never'),
  })
  .meta({ id: 'ApiKey' });

/** `key` is shown this once. */
export const CreatedApiKey = ApiKey.extend({
  key: z.string().describe('The key itself; shown this once, never again'),
}).meta({ id: 'CreatedApiKey' });

const ApiKeyPage = pageOf(ApiKey).meta({ id: 'ApiKeyPage' });

export const exampleKey = {
  id: '3d0f4c1e-7a52-4a0e-9a43-0f2d8a1b6c11',
  name: 'newsroom',
  prefix: 'adit_EXAM',
  role: 'member' as const,
  requests_per_second: null,
  jobs_per_day: null,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_last_used: null,
  time_expires: null,
};
const exampleWorkspace = { id: '7b2e9c04-5d1f-4a68-b3c7-1e8f6a0d2594', name: 'default' };
/** Example of a secret that is shown once; no real key has its length. */
export const EXAMPLE_SECRET_KEY = 'adit_EXAMPLE-shown-this-once';

const OwnWorkspace = z
  .strictObject({
    id: z.uuid().describe('Id of the workspace'),
    name: z.string().describe('Name of the workspace'),
  })
  .meta({ id: 'OwnWorkspace' });

const Me = z
  .strictObject({
    role: role.describe('The rights of the key or the member'),
    key: z
      .strictObject({
        id: z.uuid().describe('Id of the API key'),
        name: z.string().describe('Name that its owner gave it'),
      })
      .meta({ id: 'OwnKey' })
      .nullable()
      .describe('The API key of this request; null where a member is signed in'),
    member: z
      .strictObject({
        id: z.uuid().describe('Id of the member'),
        name: z.string().describe('Name of the member'),
      })
      .meta({ id: 'OwnMember' })
      .nullable()
      .describe('Who is signed in; null where an API key asks'),
    workspace: OwnWorkspace.describe('The workspace that the key belongs to, or that the member looks at'),
    workspaces: z.array(OwnWorkspace).describe('All workspaces that they may look at; of a key its own'),
  })
  .meta({ id: 'Me' });

export const readMe = defineRoute({
  method: 'GET',
  path: '/v1/me/',
  summary: 'Who the key of this request is, or who is signed in',
  description:
    'Role and workspace, so that a program shows what it may do before it tries. Any API key may ask, and any browser that is signed in.',
  tag,
  reply: Me,
  example: {
    reply: {
      role: exampleKey.role,
      key: { id: exampleKey.id, name: exampleKey.name },
      member: null,
      workspace: exampleWorkspace,
      workspaces: [exampleWorkspace],
    },
  },
});

export const listKeys = defineRoute({
  method: 'GET',
  path: '/v1/api-keys/',
  summary: 'List the API keys of the workspace',
  description: 'A page of keys, without the keys themselves: those are shown once, when they are made.',
  tag,
  access: 'admin',
  query: PageQuery.extend(MadeBy),
  reply: ApiKeyPage,
});

export const getKey = defineRoute({
  method: 'GET',
  path: '/v1/api-keys/:keyId/',
  summary: 'Read an API key',
  description: 'Its role, its limits and when it was last used; never the key itself.',
  tag,
  access: 'admin',
  params,
  reply: ApiKey,
  errors: ['NOT_FOUND'],
  example: { reply: { ...exampleKey, time_last_used: '2026-11-21T08:15:00.000000Z' } },
});

export const createKey = defineRoute({
  method: 'POST',
  path: '/v1/api-keys/',
  summary: 'Create an API key; the reply shows it once',
  description: 'The key is kept as a hash only, so what is lost cannot be read again; rotate it instead.',
  tag,
  access: 'admin',
  secret: true,
  credential: true,
  body: z
    .strictObject({
      name: name.describe('Name of your own, 1 to 100 characters'),
      role: role.default('member').describe('Its rights; default `member`'),
      requests_per_second: requestsPerSecond.default(null),
      jobs_per_day: jobsPerDay.default(null),
    })
    .meta({ id: 'ApiKeyRequest' }),
  refuses: ({ role }, { body }) => (body.role === 'owner' && role !== 'owner' ? OWNERS_KEY : null),
  reply: CreatedApiKey,
  example: {
    body: { name: exampleKey.name, role: exampleKey.role },
    reply: { ...exampleKey, key: EXAMPLE_SECRET_KEY },
  },
});

export const changeKey = defineRoute({
  method: 'PATCH',
  path: '/v1/api-keys/:keyId/',
  summary: 'Change the name, role or limits of an API key',
  description: 'Fields left out stay unchanged. The last admin of a workspace cannot give up its role: 409.',
  tag,
  access: 'admin',
  credential: true,
  params,
  body: z
    .strictObject({
      name: name.optional().describe('Name of your own, 1 to 100 characters'),
      role: role.optional().describe('Its rights'),
      requests_per_second: requestsPerSecond.optional(),
      jobs_per_day: jobsPerDay.optional(),
    })
    .meta({ id: 'ApiKeyChange' }),
  resource: CreatedApiKey,
  reply: ApiKey,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { body: { requests_per_second: 50 }, reply: { ...exampleKey, requests_per_second: 50 } },
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
  body: z
    .strictObject({
      overlap_seconds: z
        .int()
        .min(0)
        .max(604_800)
        .default(0)
        .describe('Seconds for which the key before stays valid, at most a week; default 0'),
    })
    .meta({ id: 'ApiKeyRotation' })
    .default({ overlap_seconds: 0 }),
  reply: CreatedApiKey,
  resource: null,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: {
    body: { overlap_seconds: 86_400 },
    reply: { ...exampleKey, id: '9b3e7d15-4c6a-4f82-a0d9-5e1f3c7b2a64', key: EXAMPLE_SECRET_KEY },
  },
});

export const deleteKey = defineRoute({
  method: 'DELETE',
  path: '/v1/api-keys/:keyId/',
  summary: 'Revoke an API key',
  description: 'Requests with it answer 401 from now on. The last admin of a workspace cannot be revoked: 409.',
  tag,
  access: 'admin',
  credential: true,
  params,
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { reply: { message: `API key ${exampleKey.id} was revoked.` } },
});

const SigningSecret = z
  .strictObject({ signing_secret: z.string().describe('Signs what is sent to the callbacks of jobs') })
  .meta({ id: 'SigningSecret' });

const exampleSecret = { signing_secret: 'whsec_EXAMPLE=' };

export const readSecret = defineRoute({
  method: 'GET',
  path: '/v1/signing-secret/',
  summary: 'The secret that signs the webhooks of jobs',
  secret: true,
  description: 'Deliveries for jobs of this workspace are signed with it, after Standard Webhooks.',
  tag: 'Webhooks',
  access: 'admin',
  reply: SigningSecret,
  example: { reply: exampleSecret },
});

export const renewSecret = defineRoute({
  method: 'POST',
  path: '/v1/signing-secret/',
  summary: 'Replace the signing secret; the old one goes on signing beside it for 24 hours',
  description: 'Receivers accept either signature while they are moved to the new secret.',
  tag: 'Webhooks',
  access: 'admin',
  secret: true,
  credential: true,
  reply: SigningSecret,
  example: { reply: exampleSecret },
});
