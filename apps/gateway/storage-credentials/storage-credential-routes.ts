import { StorageCredentials, StorageCredentialsPage, StorageCredentialsRequest } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { inPages, Message, OptionalPage, UuidInPath } from '../http/shapes.js';

const tag = 'Storage credentials';
const access = 'admin';
const params = z.object({ credentialsId: UuidInPath.describe('Id of the credentials') });

const example = {
  id: '2b6d1f0a-5c3e-4a7b-8d9f-1e2c3b4a5d6f',
  bucket: 'newsroom-archive',
  endpoint: 'https://s3.eu-central-1.amazonaws.com',
  region: 'eu-central-1',
  access_key: 'AKIAIOSFODNN7EXAMPLE',
  path_style: true,
  time_created: '2026-11-21T07:00:00.000000Z',
};
const body = {
  bucket: example.bucket,
  endpoint: example.endpoint,
  region: example.region,
  access_key: example.access_key,
  secret_key: 'EXAMPLE-never-shown-again',
};
const used = 'Jobs of the workspace read objects of the bucket as `s3://bucket/key`.';

export const listStorageCredentials = defineRoute({
  method: 'GET',
  path: '/v1/storage-credentials/',
  summary: 'List the storage credentials of the workspace',
  description: 'A plain list of all; with `offset` or `limit` it comes in pages. Secret keys are never shown.',
  tag,
  access,
  query: OptionalPage,
  secret: true,
  reply: z.array(StorageCredentials),
  otherwise: inPages(StorageCredentialsPage),
  example: { reply: [example] },
});

export const createStorageCredentials = defineRoute({
  method: 'POST',
  path: '/v1/storage-credentials/',
  summary: 'Store credentials for a bucket',
  description:
    `${used} The endpoint is subject to the rules for web sources: https:// and a public address unless the installation ` +
    'allows others. Only reading is needed (`s3:GetObject`). 409 if there are credentials for the bucket.',
  tag,
  access,
  credential: true,
  body: StorageCredentialsRequest,
  secret: true,
  reply: StorageCredentials,
  errors: ['CONFLICT'],
  example: { body, reply: example },
});

export const getStorageCredentials = defineRoute({
  method: 'GET',
  path: '/v1/storage-credentials/:credentialsId/',
  summary: 'Read storage credentials',
  description: 'Everything but the secret key.',
  tag,
  access,
  params,
  secret: true,
  reply: StorageCredentials,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const replaceStorageCredentials = defineRoute({
  method: 'PUT',
  path: '/v1/storage-credentials/:credentialsId/',
  summary: 'Replace storage credentials',
  description: 'All fields, the secret key included. Sources that are fetched from now on are fetched with these.',
  tag,
  access,
  credential: true,
  params,
  body: StorageCredentialsRequest,
  secret: true,
  reply: StorageCredentials,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { body, reply: example },
});

export const deleteStorageCredentials = defineRoute({
  method: 'DELETE',
  path: '/v1/storage-credentials/:credentialsId/',
  summary: 'Delete storage credentials',
  description: 'Sources of the bucket that jobs still have to fetch cannot be read from now on.',
  tag,
  access,
  credential: true,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The storage credentials ${example.id} were deleted.` } },
});
