import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { JobInPath } from '../jobs/job-routes.js';

export const jobEvents = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/events/',
  summary: 'Follow a job as server-sent events',
  description: 'Resumable by Last-Event-ID. The stream ends after the event that ends the job.',
  tag: 'Jobs',
  headers: z.object({
    'Last-Event-ID': z
      .string()
      .max(64)
      .optional()
      .describe('Id of the last event that was seen; those after it follow'),
  }),
  params: JobInPath,
  reply: { contentType: 'text/event-stream', description: 'Events, each with the id, the name and JSON data' },
  errors: ['NOT_FOUND'],
});
