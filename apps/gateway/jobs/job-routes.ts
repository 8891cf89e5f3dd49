import {
  DEFAULT_LIMIT,
  Job,
  JobPage,
  JobRequest,
  JobState,
  MAX_LIMIT,
  MediaFacts,
  MediaType,
  ModelPin,
  PageQuery,
  QuotaUse,
} from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { Flag, Message, UuidInPath } from '../http/shapes.js';
import {
  exampleDryRun,
  exampleEndedJob,
  exampleJob,
  exampleRequest,
  exampleShortRequest,
  exampleStoppedJob,
} from './job-examples.js';

const tag = 'Jobs';
export const JobInPath = z.object({ jobId: UuidInPath.describe('Id of the job') });
const Prefer = z.object({
  Prefer: z.string().max(255).optional().describe('`wait=N`: seconds to wait for the end of the job, at most 60'),
});

const PlannedModule = z
  .strictObject({
    module: z.string().describe('Id of the module'),
    arguments: z.record(z.string(), z.unknown()).describe('Its arguments, with defaults filled in'),
    models: z.array(ModelPin).describe('The models that it is given, in their exact versions'),
    analyses: z
      .array(
        z
          .strictObject({
            analysis: z.string().describe('Name of the analysis'),
            digest: z.string().describe('Equal for two jobs exactly when they must see the same in the same media'),
            models: z.array(ModelPin).describe('The networks that would look, in their exact versions'),
          })
          .meta({ id: 'PlannedAnalysis' }),
      )
      .describe('The analyses that would run'),
  })
  .meta({ id: 'PlannedModule' });

/** Description of a job that is not created. */
export const DryRun = z
  .strictObject({
    media_type: z.string().describe('Kind of the media'),
    modules: z.record(z.string(), PlannedModule).describe('By module, as posted'),
    sources: z
      .array(
        z
          .strictObject({
            source: z.string().describe('The source, as posted'),
            facts: MediaFacts.nullable().describe(
              'Facts about the file; null for a source that only decoders open, and after an error',
            ),
            error: z.string().nullable().describe('Why it cannot be used; null otherwise'),
          })
          .meta({ id: 'ProbedSource' }),
      )
      .describe('Facts about each source'),
    estimate: z
      .strictObject({
        media_seconds: z.number().describe('Seconds of films and sound, as far as they were probed'),
        pictures: z.int().describe('Pictures and pages of documents'),
      })
      .meta({ id: 'Estimate' })
      .describe('The amount of media to analyse'),
    quotas: z
      .array(
        QuotaUse.extend({
          expected: z
            .number()
            .nullable()
            .describe(
              'What the job would use at most of the length of media, and about of seconds of analyses and models, by what its modules took in the last 30 days; null where that is not known',
            ),
        }).meta({ id: 'QuotaForecast' }),
      )
      .describe('Quotas of the workspace by day and by month. A job is refused once one is used up'),
  })
  .meta({ id: 'DryRun' });
export type DryRun = z.infer<typeof DryRun>;

export const postJob = defineRoute({
  method: 'POST',
  path: '/v1/jobs/',
  summary: 'Create a job',
  description:
    'Answers 400 for what can be checked without opening a source; whatever is found later fails the job with a reason. ' +
    '`Prefer: wait=N` waits up to N ≤ 60 seconds for its end. Once a quota of the workspace is used up, 429 (`QUOTA_EXCEEDED`) says ' +
    'which, and when it starts anew; jobs under way go on.',
  tag,
  headers: Prefer,
  replyHeaders: ['Preference-Applied'],
  query: z.object({
    dry_run: Flag.default(false).describe('true: as POST /v1/jobs/dry-run/, which answers a DryRun; default false'),
  }),
  body: JobRequest,
  reply: Job,
  errors: ['MODEL_NOT_INSTALLED', 'SOURCE_REFUSED', 'NOT_FOUND', 'CONFLICT', 'IDEMPOTENCY_MISMATCH', 'QUOTA_EXCEEDED'],
  example: { body: exampleRequest, reply: exampleJob },
});

export const dryRunJob = defineRoute({
  method: 'POST',
  path: '/v1/jobs/dry-run/',
  summary: 'What a job would be; nothing is created',
  description:
    'Takes the body of POST /v1/jobs/: the sources are probed, the arguments checked, the effort estimated and compared with the quotas ' +
    'of the workspace. `?dry_run=true` there does the same.',
  tag,
  body: JobRequest,
  resource: Job,
  reply: DryRun,
  errors: ['MODEL_NOT_INSTALLED', 'SOURCE_REFUSED', 'NOT_FOUND'],
  example: { body: exampleShortRequest, reply: exampleDryRun },
});

const JobFilters = {
  search: z.string().max(255).optional().describe('Part of a job id or tag, or of the name of a source'),
  tag: z.string().max(255).optional().describe('The exact tag'),
  state: JobState.optional().describe('Jobs of this state alone'),
  media_type: MediaType.optional().describe('Jobs of this kind of media alone'),
  batch: z.string().max(64).optional().describe('Id of a batch'),
};
const { time_created_from, time_created_to, limit } = PageQuery.shape;
const MAX_IDS = 100;
/** An empty one is most likely a variable that was never set: what it leaves out would be gone. */
const { search, tag: ofTag, batch } = JobFilters;
const NamedFilters = {
  search: search.unwrap().min(1).optional().describe(String(search.description)),
  tag: ofTag.unwrap().min(1).optional().describe(String(ofTag.description)),
  batch: batch.unwrap().min(1).optional().describe(String(batch.description)),
};

export const listJobs = defineRoute({
  method: 'GET',
  path: '/v1/jobs/',
  summary: 'List jobs, newest first',
  description: 'A page of the jobs of the workspace; filters narrow it down together.',
  tag,
  query: PageQuery.extend(JobFilters),
  reply: JobPage,
  example: { reply: examplePage(exampleEndedJob) },
});

export const getJob = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/',
  summary: 'Read a job',
  description: '`Prefer: wait=N` waits up to N ≤ 60 seconds for its end.',
  tag,
  headers: Prefer,
  replyHeaders: ['Preference-Applied'],
  params: JobInPath,
  reply: Job,
  errors: ['NOT_FOUND'],
  example: { reply: exampleEndedJob },
});

export const deleteJob = defineRoute({
  method: 'DELETE',
  path: '/v1/jobs/:jobId/',
  summary: 'Abort a job and remove its results',
  description:
    'A running job is aborted. Segments, pictures and files are deleted at once and cannot be restored. A job under a legal hold answers 409.',
  tag,
  params: JobInPath,
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { reply: { message: `Job ${exampleJob.id} was deleted.` } },
});

export const deleteJobs = defineRoute({
  method: 'DELETE',
  path: '/v1/jobs/',
  summary: 'Remove many jobs with their results',
  description:
    'Those of `ids`, as DELETE of each does; or, without `ids`, those that all of the filters find, that have ended and are under no legal hold. At least one ' +
    'of them has to be there. A request ends after `limit` jobs or 20 seconds: while `more` is true, send it again.',
  tag,
  query: z.object({
    ids: z
      .string()
      .max(4_000)
      .transform((text) => text.split(',').filter((id) => id !== ''))
      .refine((ids) => ids.length > 0 && ids.length <= MAX_IDS, `name 1 to ${MAX_IDS} jobs`)
      .optional()
      .meta({
        ...{ type: 'string', maxLength: 4_000 },
        description: `Ids of jobs, at most ${MAX_IDS}, with commas between them; those that are not there are passed over`,
      }),
    ...JobFilters,
    ...NamedFilters,
    ...{ time_created_from, time_created_to },
    limit: limit.meta({
      ...limit.meta(),
      description: `Most jobs that filters remove at once, 1 to ${MAX_LIMIT} (more counts as ${MAX_LIMIT}); default ${DEFAULT_LIMIT}`,
    }),
  }),
  reply: z
    .strictObject({
      ids: z.array(z.uuid()).describe('The jobs that were removed'),
      held: z.array(z.uuid()).describe('Jobs of `ids` that stay, since they are under a legal hold'),
      more: z.boolean().describe('Whether more jobs match: send the request again'),
    })
    .meta({ id: 'DeletedJobs' }),
  removes: 'ids',
  example: { reply: { ids: [exampleJob.id], held: [], more: false } },
});

export const stopJob = defineRoute({
  method: 'POST',
  path: '/v1/jobs/:jobId/stop/',
  summary: 'End a job where it stands; its results so far stay',
  description:
    'Answers the job as `stopped`. A job that has ended answers 409; `retry` begins again with what was stopped.',
  tag,
  params: JobInPath,
  reply: Job,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { reply: exampleStoppedJob },
});

export const retryJob = defineRoute({
  method: 'POST',
  path: '/v1/jobs/:jobId/retry/',
  summary: 'Run what failed, was stopped or was missed in an ended job again',
  description:
    'The job is `waiting` again and keeps the results of its other modules. 409 when there is nothing to run again.',
  tag,
  params: JobInPath,
  reply: Job,
  errors: ['NOT_FOUND', 'CONFLICT', 'QUOTA_EXCEEDED'],
});
