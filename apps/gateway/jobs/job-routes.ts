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
import { Message, UuidInPath } from '../http/shapes.js';

const tag = 'Jobs';
const params = z.object({ jobId: UuidInPath.describe('Id of the job') });
const flag = z
  .enum(['true', 'false', '1', '0'])
  .transform((text) => text === 'true' || text === '1')
  .meta({ type: 'boolean' });

const Prefer = z.object({
  Prefer: z.string().max(255).optional().describe('`wait=N`: seconds to wait for the end of the job, at most 60'),
});

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
  source_count: 1,
  link: 'https://adit.example.org/api/v1/jobs/0f7c4a54-6a0e-4f5b-9d56-6b1a2f0f3d11/',
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

const PlannedModule = z
  .strictObject({
    module: z.string(),
    arguments: z.record(z.string(), z.unknown()),
    models: z.array(ModelPin),
    analyses: z.array(
      z
        .strictObject({ analysis: z.string(), digest: z.string(), models: z.array(ModelPin) })
        .meta({ id: 'PlannedAnalysis' }),
    ),
  })
  .meta({ id: 'PlannedModule' });

/** What a job would be: nothing is created. */
export const DryRun = z
  .strictObject({
    media_type: z.string(),
    modules: z.record(z.string(), PlannedModule),
    /** `facts` are null for sources that only the decoders open. */
    sources: z.array(
      z
        .strictObject({ source: z.string(), facts: MediaFacts.nullable(), error: z.string().nullable() })
        .meta({ id: 'ProbedSource' }),
    ),
    estimate: z
      .strictObject({
        /** Seconds of media as far as it was probed. */
        media_seconds: z.number(),
        pictures: z.int(),
      })
      .meta({ id: 'Estimate' }),
  })
  .meta({ id: 'DryRun' });
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
  headers: Prefer,
  replyHeaders: ['Preference-Applied'],
  query: z.object({ dry_run: flag.default(false) }),
  body: JobRequest,
  reply: Job,
  otherwise: {
    name: 'DryRun',
    summary: 'What a job would be; nothing is created',
    description:
      'The path above, asked with `dry_run=true`: the sources are probed, the arguments checked, the effort estimated.',
    query: z.object({ dry_run: flag }),
    reply: DryRun,
  },
  errors: ['MODEL_NOT_INSTALLED', 'SOURCE_REFUSED', 'NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH'],
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
  description: 'A page of the jobs of the workspace; filters narrow it down together.',
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
  headers: Prefer,
  replyHeaders: ['Preference-Applied'],
  params,
  reply: Job,
  errors: ['NOT_FOUND'],
  example: { reply: exampleJob },
});

export const deleteJob = defineRoute({
  method: 'DELETE',
  path: '/v1/jobs/:jobId/',
  summary: 'Abort a job and remove its results',
  description: 'What is still running is aborted; segments, pictures and files go at once and cannot be had back.',
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
  description:
    'Answers the job as `stopped`. A job that has ended answers 409; `retry` begins again with what was stopped.',
  tag,
  params,
  reply: Job,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const retryJob = defineRoute({
  method: 'POST',
  path: '/v1/jobs/:jobId/retry/',
  summary: 'Run what failed, was stopped or was missed in an ended job again',
  description:
    'The job is `waiting` again and keeps the results of its other modules. 409 when there is nothing to run again.',
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
  headers: z.object({
    'Last-Event-ID': z
      .string()
      .max(64)
      .optional()
      .describe('Id of the last event that was seen; those after it follow'),
  }),
  params,
  reply: { contentType: 'text/event-stream', description: 'Events, each with the id, the name and JSON data' },
  errors: ['NOT_FOUND'],
});

const seconds = z.coerce.number().nonnegative().optional();

export const detailedResults = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/detailed-results/',
  summary: 'Segments in the order in which they became final',
  description:
    'A page of segments; they may be read while the job runs, offsets stay. Filters narrow it down together.',
  tag: 'Results',
  params,
  query: PageQuery.extend({
    module: z.string().max(255).optional().describe('Id of a module, or the name its results carry'),
    type: z.string().max(255).optional(),
    label: z.string().max(255).optional().describe('Part of the label'),
    time_start: seconds.describe('Seconds; segments that end before it are left out'),
    time_end: seconds.describe('Seconds; segments that start after it are left out'),
    min_confidence: z.coerce
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('Least confidence, mean confidence or similarity; what has none is left out'),
  }),
  reply: DetailedResultPage,
  errors: ['NOT_FOUND'],
});

export const summarizedResults = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/summarized-results/',
  summary: 'Sums over a whole source',
  description: 'A page of sums such as counts and screen times, one entry for each source, module and type.',
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
  description: 'A page of files, among them `results.json` and `report.html`, kept until `time_expiration`.',
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
  description: 'Takes Range, If-Range and If-None-Match.',
  tag: 'Results',
  params: params.extend({ artifactId: UuidInPath }),
  reply: { contentType: 'application/octet-stream', description: 'The file', isFile: true },
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
});

export const listModules = defineRoute({
  method: 'GET',
  path: '/v1/modules/',
  summary: 'Modules with their arguments and the models installed for them',
  description:
    'What a job may ask. `arguments` is the JSON Schema of what a module takes; `models_not_installed` would be used if they were there.',
  tag: 'Modules',
  reply: z.array(
    z
      .strictObject({
        id: z.string(),
        aliases: z.array(z.string()),
        result_module: z.string(),
        media: z.array(z.string()),
        arguments: z.record(z.string(), z.unknown()).describe('JSON Schema'),
        models: z.array(
          z
            .strictObject({ name: z.string(), version: z.int(), is_default: z.boolean() })
            .meta({ id: 'InstalledModel' }),
        ),
        models_not_installed: z.array(
          z.strictObject({ name: z.string(), purpose: z.string() }).meta({ id: 'MissingModel' }),
        ),
      })
      .meta({ id: 'Module' }),
  ),
});
