import {
  HeldTag,
  Retention,
  RetentionHold,
  RetentionHolds,
  RetentionRequest,
  RetentionUpcoming,
} from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';

const tag = 'Retention';
const WEEK = 604_800;

const exampleRetention: Retention = {
  ...{ observations: 86_400, results: 7_776_000, artifacts: null, uploads: null, recordings: null },
  ...{ audit_lines: null, receipts: null, faces: 2_592_000 },
  defaults: {
    ...{ observations: WEEK, results: null, artifacts: WEEK, uploads: null, recordings: WEEK },
    ...{ audit_lines: 31_536_000, receipts: null, faces: 0 },
  },
  pending: ['observations'],
};

export const getRetention = defineRoute({
  method: 'GET',
  path: '/v1/retention/',
  summary: 'How long the workspace keeps what, by kind',
  description: 'Seconds of each kind; null: as the installation keeps it, which `defaults` shows.',
  tag,
  reply: Retention,
  example: { reply: exampleRetention },
});

export const replaceRetention = defineRoute({
  method: 'PUT',
  path: '/v1/retention/',
  summary: 'Say how long the workspace keeps what',
  description:
    'An hour to 50 years for each kind. What was there before is judged by the new value too, from a minute later on; `pending` ' +
    'names the kinds for which that is not done. Whatever belongs to a job under a legal hold stays.',
  tag,
  access: 'admin',
  body: RetentionRequest,
  reply: Retention,
  example: { body: { observations: 86_400, results: 7_776_000, faces: 2_592_000 }, reply: exampleRetention },
});

export const getUpcoming = defineRoute({
  method: 'GET',
  path: '/v1/retention/upcoming/',
  summary: 'What goes next, by kind',
  description:
    'What the retention of the workspace, or the `ttl` of a job, removes within the next hours, as things are now. What is under a ' +
    'legal hold is not in it.',
  tag,
  query: z.object({
    within_hours: z.coerce
      .number()
      .int()
      .min(1)
      .max(720)
      .default(24)
      .describe('Hours from now on, 1 to 720; default 24'),
  }),
  reply: RetentionUpcoming,
  example: {
    reply: {
      until: '2026-11-22T07:00:00.000000Z',
      kinds: [
        {
          kind: 'uploads',
          count: 1,
          is_partial: false,
          first: [{ id: '42', name: 'film.mp4', time: '2026-11-21T19:00:00.000000Z' }],
        },
      ],
    },
  },
});

const exampleHolds = { tags: ['case 4711'] };
const params = z.object({ heldTag: HeldTag });

export const getHolds = defineRoute({
  method: 'GET',
  path: '/v1/retention/holds/',
  summary: 'List the tags under a legal hold',
  description: 'Who set a hold, and when, is in the audit log.',
  tag,
  reply: RetentionHolds,
  example: { reply: exampleHolds },
});

export const setHold = defineRoute({
  method: 'POST',
  path: '/v1/retention/holds/',
  summary: 'Put the jobs with a tag under a legal hold',
  description:
    'From the reply on neither retention nor anybody deletes those jobs, or what belongs to them: results, files, exports, ' +
    'recordings, the uploads that they mined and what is cached of these. Deletions and erasures in the way of a hold answer 409.',
  tag,
  access: 'admin',
  body: RetentionHold,
  resource: null,
  reply: RetentionHolds,
  errors: ['CONFLICT'],
  example: { body: { tag: 'case 4711' }, reply: exampleHolds },
});

export const liftHold = defineRoute({
  method: 'DELETE',
  path: '/v1/retention/holds/:heldTag/',
  summary: 'Lift a legal hold',
  description: 'Files and results that are over by then go within some minutes, what is cached within a day.',
  tag,
  access: 'admin',
  params,
  reply: RetentionHolds,
  errors: ['NOT_FOUND'],
  example: { reply: { tags: [] } },
});
