import {
  CreatedWorkspace,
  PageQuery,
  Workspace,
  WorkspaceChange,
  WorkspacePage,
  WorkspaceReceipt,
  WorkspaceRequest,
} from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { UuidInPath } from '../http/shapes.js';
import { EXAMPLE_SECRET_KEY } from '../keys/key-routes.js';

const tag = 'Workspaces';
const params = z.object({ workspaceId: UuidInPath.describe('Id of the workspace') });

const body = { name: 'newsroom', storage_bytes: 1_000_000_000_000, quotas: { media_seconds_per_month: 90_000 } };
const example = {
  id: 'e2b4d6f8-0a1c-4e35-9d7b-6f8a0c2e4b1d',
  ...body,
  storage_used: 0,
  weight: 1,
  observation_cache: true,
  time_created: '2026-11-21T07:00:00.000000Z',
};

export const listWorkspaces = defineRoute({
  method: 'GET',
  path: '/v1/workspaces/',
  summary: 'List the workspaces of the installation, the oldest first',
  description: 'With what each may store and has stored.',
  tag,
  access: 'owner',
  query: PageQuery,
  reply: WorkspacePage,
});

export const createWorkspace = defineRoute({
  method: 'POST',
  path: '/v1/workspaces/',
  summary: 'Create a workspace; the reply shows its first API key once',
  description: 'The key has the role admin there, and sees nothing of any other workspace.',
  tag,
  access: 'owner',
  secret: true,
  credential: true,
  body: WorkspaceRequest,
  reply: CreatedWorkspace,
  example: { body, reply: { ...example, key: EXAMPLE_SECRET_KEY } },
});

export const getWorkspace = defineRoute({
  method: 'GET',
  path: '/v1/workspaces/:workspaceId/',
  summary: 'Read a workspace',
  description: 'With what it may store and has stored.',
  tag,
  access: 'owner',
  params,
  reply: Workspace,
  errors: ['NOT_FOUND'],
  example: { reply: { ...example, storage_used: 7_340_032 } },
});

export const changeWorkspace = defineRoute({
  method: 'PATCH',
  path: '/v1/workspaces/:workspaceId/',
  summary: 'Change the name or the limits of a workspace',
  description:
    'Fields left out stay unchanged, quotas too. A quota counts from the next order on, on other gateways after a second.',
  tag,
  access: 'owner',
  params,
  body: WorkspaceChange,
  resource: CreatedWorkspace,
  reply: Workspace,
  errors: ['NOT_FOUND'],
  example: { body: { weight: 2 }, reply: { ...example, weight: 2 } },
});

export const deleteWorkspace = defineRoute({
  method: 'DELETE',
  path: '/v1/workspaces/:workspaceId/',
  summary: 'Erase a workspace with everything in it',
  description:
    'Its keys count no more from the first moment on. The reply is the receipt, once everything is gone. Should that fail, ' +
    'or the gateway die, the erasure goes on within a minute; the same request goes on at once, and answers 409 while ' +
    'somebody is at it, 404 once all is gone. The workspace of the key that asks stays (409).',
  tag,
  access: 'owner',
  credential: true,
  params,
  reply: WorkspaceReceipt,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    reply: {
      id: example.id,
      name: example.name,
      state: 'erased',
      counts: { jobs: 12, files: 9, batches: 1, exports: 2, api_keys: 1, access_keys: 1 },
      time: '2026-11-30T07:00:00.000000Z',
      key: 'f1d3b5a7-9c8e-4206-8b4a-0d2c6e4f8a1b',
    },
  },
});
