import { FollowedVersion, Model, ModelPage, ModelRequest, ModelUpload, NewModel } from '@adit/contracts';
import { z } from 'zod';
import type { Caller } from '../http/caller.js';
import { defineRoute } from '../http/route.js';
import { inPages, Message, OptionalPage, UuidInPath } from '../http/shapes.js';

const tag = 'Models';
const params = z.object({ modelId: UuidInPath.describe('Id of the model') });

const version = {
  version_number: 1,
  time_created: '2026-11-21T07:00:00.000000Z',
  changelog: '',
  source_dataset: null,
  digest: '9f2c8d1e5b7a4f30c6e8d2b1a09f3e7c5d4b6a8091e2f3c4d5b6a7980f1e2d3c',
  metrics: null,
};
const body = { description: 'The people of our newsroom', custom_fields: [{ owner: 'archive' }] };
/** A gallery that was installed as files. */
export const exampleModel = {
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
  default_version: 1,
  scope: 'installation' as const,
  task: 'face-gallery',
  family: null,
  licence: 'private',
  origin: 'adit gallery build',
  input: null,
  labels: null,
};

/** Networks that only analyses look with are shown where they are asked for. */
const Kind = z.object({
  kind: z
    .enum(['network', 'gallery'])
    .optional()
    .describe('`network` or `gallery`: models of that kind alone, those that only analyses look with among them'),
});

export const listModels = defineRoute({
  method: 'GET',
  path: '/v1/models/',
  summary: 'List the models that a job may name',
  description:
    'A plain list of all; with `offset` or `limit` it comes in pages. Public ones first, then by name. Models that only analyses look with are ' +
    'among them with `kind=network`, and take no modules.',
  tag,
  query: OptionalPage.extend(Kind.shape),
  reply: z.array(Model),
  otherwise: inPages(ModelPage),
  example: { reply: [exampleModel] },
});

export const getModel = defineRoute({
  method: 'GET',
  path: '/v1/models/:modelId/',
  summary: 'Read a model',
  description: 'By its id, as a job names it too. One that only analyses look with is found with `kind=network`.',
  tag,
  params,
  query: Kind,
  reply: Model,
  errors: ['NOT_FOUND'],
  example: { reply: exampleModel },
});

export const listFollowed = defineRoute({
  method: 'GET',
  path: '/v1/models/followed/',
  summary: 'List what lies in the bucket whose models are followed',
  description:
    'Every version that was found where `ADIT_SYNCED_MODELS` says, by name and number, with what is wrong with it. Empty where ' +
    'nothing is followed. A version never changes: one whose files are others by now stays as it was published, and says so.',
  tag,
  access: 'admin',
  reply: z.array(FollowedVersion),
  example: {
    reply: [
      {
        name: 'helmets',
        version_number: 2,
        state: 'refused' as const,
        problem: 'It lacks helmets/2/model.onnx.',
        digest: null,
        time_updated: version.time_created,
      },
    ],
  },
});

/** Returns why the caller may not add a model of this scope; null if it may. */
export function whyNotForAll({ role }: Caller, scope: NewModel['scope'] | undefined): string | null {
  if (scope !== 'installation' || role === 'owner') return null;
  return 'A model for all workspaces is added with a key of the role owner.';
}

export const addModel = defineRoute({
  method: 'POST',
  path: '/v1/models/',
  summary: 'Add a model, or a version of one',
  description:
    'An ONNX file, or a zip or tar archive with one and what belongs to it (weights beside it, `labels.txt`, `config.json`, ' +
    '`preprocessor_config.json`, `model.yaml`): as multipart/form-data in the field `file`, or as JSON with the `file_uri` of an ' +
    'uploaded file. Weights that lie beside a graph, as PyTorch writes them, may also come in the field `data`. ' +
    'It is checked and run on noise in a process of its own before the next job can name it. What neither the ' +
    'file nor its exporter says is asked for: 400 with a pointer to the field that answers it. A model belongs to the workspace, ' +
    'or with the scope `installation` to all.',
  tag,
  access: 'admin',
  refuses: (caller, { body: given }) => whyNotForAll(caller, given?.scope),
  body: ModelUpload.optional(),
  form: NewModel.extend({
    file: z
      .string()
      .meta({ format: 'binary' })
      .describe('An ONNX file, or a zip or tar archive with one and what belongs to it'),
    data: z
      .array(z.string().meta({ format: 'binary' }))
      .optional()
      .describe('Files beside the graph that hold its weights, each under the name that the graph calls it'),
  })
    .strip()
    .meta({ id: 'ModelForm' }),
  resource: null,
  reply: Model,
  errors: ['CONFLICT', 'FORBIDDEN', 'TOO_LARGE', 'SOURCE_REFUSED'],
  example: { reply: exampleModel },
});

const versionParams = params.extend({
  version: z.coerce.number().int().positive().max(1e9).describe('Number of the version'),
});
const changing =
  'Jobs that were posted before keep their version. For models of the store; those in a folder are what the folder says. One of all ' +
  'workspaces needs a key with the role owner.';

export const promoteVersion = defineRoute({
  method: 'POST',
  path: '/v1/models/:modelId/versions/:version/promote/',
  summary: 'Make a version the one that the name means',
  description: `Also an earlier one, to roll back, and one that was retired. ${changing}`,
  tag,
  access: 'admin',
  params: versionParams,
  reply: Model,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { reply: exampleModel },
});

export const retireVersion = defineRoute({
  method: 'POST',
  path: '/v1/models/:modelId/versions/:version/retire/',
  summary: 'Offer a version to no more jobs',
  description: `Its files stay until no job refers to it. ${changing}`,
  tag,
  access: 'admin',
  params: versionParams,
  reply: Message,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { reply: { message: 'Version 1 of team was retired.' } },
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
  example: { body, reply: exampleModel },
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
  example: { reply: { message: 'The model team was deleted from this workspace; its files stay.' } },
});
