import { AccessKey, AccessKeyPage, AccessScope, CreatedAccessKey, ExportStrategy } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { MadeBy } from '../keys/key-routes.js';
import { inPages, Message, OptionalPage } from '../http/shapes.js';

const tag = 'Access keys';
const params = z.object({ accessKey: z.string().describe('`key` of the access key') });
const name = z.string().trim().min(1).max(255).describe('Name of your own, 1 to 255 characters');
const scopes = z.array(AccessScope).max(20).describe('Rights of its tokens');
const exportStrategies = z
  .array(ExportStrategy)
  .max(20)
  .describe('The exports that the export scopes reach beside `transcript_export`, which they always do');
export const exampleAccessKey = {
  key: 'k3Yq8RnVw1ZtLx5cJd0B',
  name: 'newsroom editor',
  type: 'jwt' as const,
  scopes: ['transcript.read' as const, 'transcript.write' as const],
  export_strategies: ['transcript_export' as const],
  time_created: '2026-11-21T07:00:00.000000Z',
};

export const listAccessKeys = defineRoute({
  method: 'GET',
  path: '/v1/access-keys/',
  summary: 'List the access keys of the workspace',
  description: 'A plain list of all; with `offset` or `limit` it comes in pages. Secrets are never shown again.',
  tag,
  query: OptionalPage.extend(MadeBy),
  reply: z.array(AccessKey),
  otherwise: inPages(AccessKeyPage),
  example: { reply: [exampleAccessKey] },
});

export const createAccessKey = defineRoute({
  method: 'POST',
  path: '/v1/access-keys/',
  summary: 'Create an access key; the reply shows its secret once',
  description:
    'Whoever holds the secret signs JSON Web Tokens for end users: HS256, with the secret as it is written (UTF-8) for the ' +
    'key; `exp` and `nbf` are enforced when present, no claim is needed. The token is `<key>.<jwt>`, sent as `?token=` or ' +
    '`Authorization: Bearer`. It reaches transcripts and exports of transcripts, as far as the scopes say, other exports where ' +
    '`export_strategies` names them, and nothing else.',
  tag,
  secret: true,
  credential: true,
  identifiedBy: 'key',
  body: z
    .strictObject({
      name,
      type: z.literal('jwt').default('jwt').describe('Always `jwt`: its tokens are JSON Web Tokens'),
      scopes,
      export_strategies: exportStrategies.default([]),
    })
    .meta({ id: 'AccessKeyRequest' }),
  reply: CreatedAccessKey,
  example: {
    body: { name: exampleAccessKey.name, type: 'jwt', scopes: exampleAccessKey.scopes },
    reply: { ...exampleAccessKey, secret: 'EXAMPLE-shown-this-once' },
  },
});

export const getAccessKey = defineRoute({
  method: 'GET',
  path: '/v1/access-keys/:accessKey/',
  summary: 'Read an access key',
  description: 'Its name and what it reaches; its secret was shown once, when it was made.',
  tag,
  params,
  reply: AccessKey,
  errors: ['NOT_FOUND'],
  example: { reply: exampleAccessKey },
});

const readers = { scopes: ['transcript.read' as const] };
const changing = 'Tokens count by what their access key reaches now, not by what it did when they were signed.';

export const replaceAccessKey = defineRoute({
  method: 'PUT',
  path: '/v1/access-keys/:accessKey/',
  summary: 'Replace the name of an access key, its scopes and its export strategies',
  description: changing,
  tag,
  credential: true,
  params,
  body: z
    .strictObject({ name, scopes, export_strategies: exportStrategies.default([]) })
    .meta({ id: 'AccessKeyReplacement' }),
  resource: CreatedAccessKey,
  reply: AccessKey,
  errors: ['NOT_FOUND'],
  example: {
    body: { name: exampleAccessKey.name, ...readers, export_strategies: [] },
    reply: { ...exampleAccessKey, ...readers },
  },
});

export const changeAccessKey = defineRoute({
  method: 'PATCH',
  path: '/v1/access-keys/:accessKey/',
  summary: 'Change the name of an access key, its scopes or its export strategies',
  description: changing,
  tag,
  credential: true,
  params,
  body: z
    .strictObject({
      name: name.optional(),
      scopes: scopes.optional(),
      export_strategies: exportStrategies.optional(),
    })
    .meta({ id: 'AccessKeyChange' }),
  resource: CreatedAccessKey,
  reply: AccessKey,
  errors: ['NOT_FOUND'],
  example: { body: readers, reply: { ...exampleAccessKey, ...readers } },
});

export const deleteAccessKey = defineRoute({
  method: 'DELETE',
  path: '/v1/access-keys/:accessKey/',
  summary: 'Revoke an access key, and every token signed with it',
  description: 'Tokens signed with its secret answer 401 from now on.',
  tag,
  credential: true,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `Access key ${exampleAccessKey.key} was revoked.` } },
});
