import {
  Batch,
  BatchFileResult,
  BatchName,
  BatchPage,
  BatchRequest,
  JobPage,
  JobState,
  PageQuery,
} from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { Message, UuidInPath } from '../http/shapes.js';
import { exampleJob } from '../jobs/job-examples.js';

const tag = 'Batches';
const params = z.object({ batchId: UuidInPath.describe('Id of the batch') });

export const exampleBatch = {
  id: '5e1c9a7b-0d34-4a6f-8f5e-1b2a3c4d5e6f',
  name: 'Election night',
  description: '',
  parent: null,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_updated: '2026-11-21T07:00:00.000000Z',
};

export const listBatches = defineRoute({
  method: 'GET',
  path: '/v1/batches/',
  summary: 'List batches, newest first',
  description: 'A page of the batches of the workspace; filters narrow it down together.',
  tag,
  query: PageQuery.extend({
    parent: z.string().max(64).optional().describe('Id of the parent batch; `null` lists the top'),
    search: z.string().max(255).optional().describe('Part of a name'),
  }),
  reply: BatchPage,
});

export const createBatch = defineRoute({
  method: 'POST',
  path: '/v1/batches/',
  summary: 'Create a batch; jobs are posted into it with `batch`',
  description: 'Batches form a tree through `parent`.',
  tag,
  body: BatchRequest,
  reply: Batch,
  example: { body: { name: 'Election night' }, reply: exampleBatch },
});

export const getBatch = defineRoute({
  method: 'GET',
  path: '/v1/batches/:batchId/',
  summary: 'Read a batch',
  description: 'Its name and place in the tree; its jobs are a list of their own.',
  tag,
  params,
  reply: Batch,
  errors: ['NOT_FOUND'],
  example: { reply: exampleBatch },
});

export const deleteBatch = defineRoute({
  method: 'DELETE',
  path: '/v1/batches/:batchId/',
  summary: 'Remove a batch and those in it, and abort their jobs',
  description:
    'The batches are gone at once; their jobs that have not ended are stopped soon after, however many they are. Jobs keep ' +
    'the results they have; delete them one by one.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The batch ${exampleBatch.name} was deleted.` } },
});

export const batchJobs = defineRoute({
  method: 'GET',
  path: '/v1/batches/:batchId/jobs/',
  summary: 'Jobs of a batch, newest first; those of the batches in it are not among them',
  description: 'A page of jobs, as `GET /v1/jobs/?batch=` answers them.',
  tag,
  params,
  query: PageQuery.extend({ state: JobState.optional().describe('Jobs of this state alone') }),
  reply: JobPage,
  errors: ['NOT_FOUND'],
  example: { reply: examplePage({ ...exampleJob, batch: exampleBatch.id }) },
});

/** Fields beside the files. */
export const BatchFilesForm = z
  .strictObject({ parent_id: z.string().max(64).optional(), parent_name: BatchName.optional() })
  .refine(
    ({ parent_id: id, parent_name: name }) => id === undefined || name === undefined,
    'give parent_id or parent_name, not both',
  );

export const uploadBatchFiles = defineRoute({
  method: 'POST',
  path: '/v1/batches/files/',
  summary: 'Make a batch of jobs from each file',
  description:
    'CSV with the header `source,tag,modules`; `modules` is JSON as in a job, or module ids split by `;`. Each row is a job. ' +
    'Nothing is taken of a file with a wrong line; its `error` names them. The batches lie in `parent_id`, or in the batch ' +
    'named `parent_name`, which is made when there is none. The jobs count for what the key may make a day; a file with ' +
    'more than are left is not taken, and 429 answers when no file was.',
  tag,
  form: z
    .object({
      files: z.array(z.string().meta({ format: 'binary' })).describe('CSV files with the header `source,tag,modules`'),
      parent_id: z
        .string()
        .optional()
        .describe('Id of the batch that the new ones go into; left out with `parent_name`'),
      parent_name: z
        .string()
        .optional()
        .describe(
          'Name of the batch at the top that the new ones go into, made where there is none; left out with `parent_id`',
        ),
    })
    .meta({ id: 'BatchFilesForm' }),
  reply: z.array(BatchFileResult),
  errors: ['TOO_LARGE', 'QUOTA_EXCEEDED'],
  example: {
    reply: [
      {
        file: 'speeches.csv',
        success: true,
        error: null,
        batch: {
          ...exampleBatch,
          id: '8a2d6f40-3b5c-4e19-a7f8-0c1d9e2b4f6a',
          name: 'speeches',
          parent: exampleBatch.id,
        },
      },
      { file: 'debates.csv', success: false, error: 'Line 3: modules is missing.', batch: null },
    ],
  },
});
