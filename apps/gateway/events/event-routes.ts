import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { JobInPath } from '../jobs/job-routes.js';

const LastEventId = z.object({
  'Last-Event-ID': z.string().max(64).optional().describe('Id of the last event that was seen; those after it follow'),
});
const reply = { contentType: 'text/event-stream', description: 'Events, each with the id, the name and JSON data' };

export const jobEvents = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/events/',
  summary: 'Follow a job as server-sent events',
  description: 'Resumable by Last-Event-ID. The stream ends after the event that ends the job.',
  tag: 'Jobs',
  headers: LastEventId,
  params: JobInPath,
  reply,
  errors: ['NOT_FOUND'],
});

export const workspaceEvents = defineRoute({
  method: 'GET',
  path: '/v1/events/',
  summary: 'Follow a workspace as server-sent events',
  description:
    'Every event that a webhook of the workspace can be told of (`svc.…`), with the same `data`, from now on, or after ' +
    'Last-Event-ID, where none is lost or doubled. 412: what came after it is kept no more. Those of jobs that were deleted since ' +
    'are left out. A stream ends after 15 minutes and when its key is taken back; go on with the id of the last event.',
  tag: 'Webhooks',
  headers: LastEventId,
  reply,
  errors: ['PRECONDITION_FAILED'],
});
