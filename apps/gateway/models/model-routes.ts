import { Model, ModelPage, ModelRequest } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { inPages, Message, OptionalPage, UuidInPath } from '../http/shapes.js';

const tag = 'Models';
const params = z.object({ modelId: UuidInPath });

const version = {
  version_number: 1,
  time_created: '2026-11-21T07:00:00.000000Z',
  changelog: '',
  source_dataset: null,
};
const body = { description: 'The people of our newsroom', custom_fields: [{ owner: 'archive' }] };
const example = {
  id: '2b6c4c0e-3a52-5d0c-9b0e-7a1f5a0c9d44',
  name: 'team',
  ...body,
  versions: [version],
  latest_version: version,
  type: 'face' as const,
  modules: ['advanced_diversity_analysis', 'face_recognition'],
  is_public: false,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_updated: '2026-11-21T07:00:00.000000Z',
};

export const listModels = defineRoute({
  method: 'GET',
  path: '/v1/models/',
  summary: 'List the models that a job may name',
  description:
    'A plain list of all; with `offset` or `limit` it comes in pages. Public ones first, then by name. Models that only analyses look with are ' +
    'not among them.',
  tag,
  query: OptionalPage,
  reply: z.array(Model),
  otherwise: inPages(ModelPage),
  example: { reply: [example] },
});

export const getModel = defineRoute({
  method: 'GET',
  path: '/v1/models/:modelId/',
  summary: 'Read a model',
  description: 'By its id, as a job names it too.',
  tag,
  params,
  reply: Model,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const replaceModel = defineRoute({
  method: 'PUT',
  path: '/v1/models/:modelId/',
  summary: 'Replace the description and the custom fields of a model',
  description:
    'Only this workspace sees them. Without `description` it is what the model says of itself. Public models answer 403.',
  tag,
  params,
  body: ModelRequest,
  reply: Model,
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  example: { body, reply: example },
});

export const deleteModel = defineRoute({
  method: 'DELETE',
  path: '/v1/models/:modelId/',
  summary: 'Take a model from the workspace',
  description:
    'It is listed no more, and jobs that name it answer 400. Its files and other workspaces keep it; a version that is ' +
    'installed later brings it back. One that a job still needs answers 409; public ones answer 403.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
});
