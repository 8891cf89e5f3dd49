import {
  ArtifactPage,
  DetailedResultPage,
  Job,
  JobPage,
  JobRequest,
  JobState,
  MediaFacts,
  ModelPin,
  PageQuery,
  SummarizedResultPage,
} from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Message } from '../http/shapes.js';

const tag = 'Jobs';
const params = z.object({ jobId: z.string().describe('Id of the job') });
const flag = z.enum(['true', 'false', '1', '0']).transform((text) => text === 'true' || text === '1');

const exampleJob = {
  id: '0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11',
  tag: 'news-2026-11-21',
  state: 'waiting',
  errors: [],
  progress: 0,
  duration: 0,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_started: null,
  time_completed: null,
  sources: ['storage://x6BfU3o0gkq2mZr9TtYw'],
  modules: { face_recognition: { model: 'team', max_distance: 1, dictionaries: [], state: 'waiting', progress: 0 } },
  media_type: 'video',
  ttl: null,
  priority: 5,
  batch: null,
  result: {
    detailed_link: 'https://adit.example.org/api/v1/jobs/0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11/detailed-results/',
    summary: [],
  },
  webhook: null,
};

/** What a job would be: nothing is created. */
export const DryRun = z.strictObject({
  media_type: z.string(),
  modules: z.record(
    z.string(),
    z.strictObject({
      module: z.string(),
      arguments: z.record(z.string(), z.unknown()),
      models: z.array(ModelPin),
      analyses: z.array(z.strictObject({ analysis: z.string(), digest: z.string(), models: z.array(ModelPin) })),
    }),
  ),
  /** `facts` are null for sources that only the decoders open. */
  sources: z.array(z.strictObject({ source: z.string(), facts: MediaFacts.nullable(), error: z.string().nullable() })),
  estimate: z.strictObject({
    /** Seconds of media as far as it was probed. */
    media_seconds: z.number(),
    pictures: z.int(),
  }),
});
export type DryRun = z.infer<typeof DryRun>;

export const postJob = defineRoute({
  method: 'POST',
  path: '/v1/jobs/',
  summary: 'Create a job',
  description:
    'Answers 400 for what can be checked without opening a source; whatever is found later fails the job with a reason. ' +
    '`Prefer: wait=N` waits up to N ≤ 60 seconds for its end. With `dry_run=true` nothing is created: the reply says what ' +
    'the job would be.',
  tag,
  query: z.object({ dry_run: flag.default(false) }),
  body: JobRequest,
  reply: z.union([Job, DryRun]),
  errors: ['MODEL_NOT_INSTALLED', 'SOURCE_REFUSED', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
  example: {
    body: {
      sources: ['storage://x6BfU3o0gkq2mZr9TtYw'],
      modules: { face_recognition: { model: 'team', max_distance: 1 } },
      tag: 'news-2026-11-21',
    },
    reply: exampleJob,
  },
});

export const listJobs = defineRoute({
  method: 'GET',
  path: '/v1/jobs/',
  summary: 'List jobs, newest first',
  tag,
  query: PageQuery.extend({
    search: z.string().max(255).optional().describe('Part of a job id or tag'),
    tag: z.string().max(255).optional().describe('The exact tag'),
    state: JobState.optional(),
    batch: z.string().max(64).optional().describe('Id of a batch'),
  }),
  reply: JobPage,
});

export const getJob = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/',
  summary: 'Read a job',
  description: '`Prefer: wait=N` waits up to N ≤ 60 seconds for its end.',
  tag,
  params,
  reply: Job,
  errors: ['NOT_FOUND'],
  example: { reply: exampleJob },
});

export const deleteJob = defineRoute({
  method: 'DELETE',
  path: '/v1/jobs/:jobId/',
  summary: 'Abort a job and remove its results',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: 'Job 0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11 was deleted.' } },
});

export const stopJob = defineRoute({
  method: 'POST',
  path: '/v1/jobs/:jobId/stop/',
  summary: 'End a job where it stands; its results so far stay',
  tag,
  params,
  reply: Job,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const retryJob = defineRoute({
  method: 'POST',
  path: '/v1/jobs/:jobId/retry/',
  summary: 'Run the failed and stopped modules of an ended job again',
  tag,
  params,
  reply: Job,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const jobEvents = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/events/',
  summary: 'Follow a job as server-sent events',
  description: 'Resumable by Last-Event-ID. The stream ends after the event that ends the job.',
  tag,
  params,
  reply: { contentType: 'text/event-stream', description: 'Events, each with the id, the name and JSON data' },
  errors: ['NOT_FOUND'],
});

const seconds = z.coerce.number().nonnegative().optional();

export const detailedResults = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/detailed-results/',
  summary: 'Segments in the order in which they became final',
  tag: 'Results',
  params,
  query: PageQuery.extend({
    module: z.string().max(255).optional().describe('Id of a module, or the name its results carry'),
    type: z.string().max(255).optional(),
    label: z.string().max(255).optional().describe('Part of the label'),
    time_start: seconds.describe('Seconds; segments that end before it are left out'),
    time_end: seconds.describe('Seconds; segments that start after it are left out'),
    min_confidence: z.coerce.number().min(0).max(1).optional(),
  }),
  reply: DetailedResultPage,
  errors: ['NOT_FOUND'],
});

export const summarizedResults = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/summarized-results/',
  summary: 'Sums over a whole source',
  tag: 'Results',
  params,
  query: PageQuery.extend({ module: z.string().max(255).optional(), type: z.string().max(255).optional() }),
  reply: SummarizedResultPage,
  errors: ['NOT_FOUND'],
});

export const listArtifacts = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/artifacts/',
  summary: 'Files a job made',
  tag: 'Results',
  params,
  query: PageQuery,
  reply: ArtifactPage,
  errors: ['NOT_FOUND'],
});

export const artifactFile = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/artifacts/:artifactId/file/',
  summary: 'Download an artifact',
  tag: 'Results',
  params: params.extend({ artifactId: z.string() }),
  reply: { contentType: 'application/octet-stream', description: 'The file; takes Range' },
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
});

export const listModules = defineRoute({
  method: 'GET',
  path: '/v1/modules/',
  summary: 'Modules with their arguments and the models installed for them',
  tag: 'Modules',
  reply: z.array(
    z.strictObject({
      id: z.string(),
      aliases: z.array(z.string()),
      result_module: z.string(),
      media: z.array(z.string()),
      arguments: z.record(z.string(), z.unknown()).describe('JSON Schema'),
      models: z.array(z.strictObject({ name: z.string(), version: z.int(), is_default: z.boolean() })),
      models_not_installed: z.array(z.strictObject({ name: z.string(), purpose: z.string() })),
    }),
  ),
});
