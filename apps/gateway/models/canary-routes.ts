import { Canary, CanaryRequest } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { UuidInPath } from '../http/shapes.js';

const tag = 'Models';
const params = z.object({ modelId: UuidInPath.describe('Id of the model') });
const path = '/v1/models/:modelId/canary/';

const example: Canary = {
  id: '8f0e4c1e-7a52-4a0e-9a43-0f2d8a1b6c11',
  state: 'running',
  reason: null,
  version: 2,
  stable_version: 1,
  share: 0.1,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_ended: null,
  units: { compared: 120, skipped: 3, failed: 0, last_error: null },
  pictures: { compared: 5230, differing: 214 },
  agreement: 0.9612,
  labels: [{ label: 'helmet', both: 4820, only_stable: 31, only_candidate: 163 }],
  latency: {
    stable: { rows: 5230, mean_seconds: 0.0412, p50_seconds: 0.0401, p95_seconds: 0.0522 },
    candidate: { rows: 5230, mean_seconds: 0.0455, p50_seconds: 0.0444, p95_seconds: 0.0561 },
  },
  differing_pictures: [
    {
      id: '4b7e2d90-1c3a-4f68-b5d7-9e0a1c2b3d4f',
      job_id: 'b8d2f4a6-0c1e-4397-8a5b-6d7f9e0c1b2a',
      frame: 1250,
      time: 50,
      difference: 0.71,
      stable: [],
      candidate: [{ label: 'helmet', score: 0.71, box: { x: 0.12, y: 0.34, w: 0.21, h: 0.4 } }],
    },
  ],
};

export const startCanary = defineRoute({
  method: 'POST',
  path,
  summary: 'Try a version beside the one that the name means',
  description:
    'From now on it looks at a share of what jobs look at with the version that the name means, after they have been answered: no ' +
    'job waits for it, fails of it, or shows what it saw. Repeated with the same version it changes the share. For detectors, ' +
    'classifiers and models of images and text in the store. One of all workspaces needs a key with the role owner.',
  tag,
  access: 'admin',
  params,
  body: CanaryRequest,
  resource: Canary,
  reply: Canary,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { body: { version: 2, share: 0.1 }, reply: example },
});

export const getCanary = defineRoute({
  method: 'GET',
  path,
  summary: 'Read how a version that is tried differs',
  description:
    'By label, in latency, and where most: of the one that runs, else the one that ran last. Numbers are of all workspaces that use ' +
    'the model, pictures of this one alone; they stay for 7 days, or until what is known of their media goes.',
  tag,
  access: 'admin',
  params,
  reply: Canary,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { reply: example },
});

export const promoteCanary = defineRoute({
  method: 'POST',
  path: `${path}promote/`,
  summary: 'Make the version that is tried the one that the name means',
  description: 'Works like `POST /v1/models/{id}/versions/{n}/promote/`, which ends the canary too.',
  tag,
  access: 'admin',
  params,
  resource: null,
  reply: Canary,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { reply: { ...example, state: 'promoted' as const, time_ended: example.time_created } },
});

export const dropCanary = defineRoute({
  method: 'POST',
  path: `${path}drop/`,
  summary: 'Try the version no more',
  description: 'It stays a version of the model, and what was found can still be read.',
  tag,
  access: 'admin',
  params,
  resource: null,
  reply: Canary,
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  example: { reply: { ...example, state: 'dropped' as const, time_ended: example.time_created } },
});

export const getCanaryPicture = defineRoute({
  method: 'GET',
  path: `${path}pictures/:pictureId/`,
  summary: 'Load a picture of which two versions said different things',
  description: 'A JPEG of at most 1024 pixels, of this workspace’s media.',
  tag,
  access: 'admin',
  params: params.extend({ pictureId: UuidInPath.describe('`id` of one of `differing_pictures`') }),
  reply: { contentType: 'application/octet-stream', description: 'The picture, a JPEG', isFile: true },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
});
