import { CLIP_HANDLE_STEP, MAX_CLIP_HANDLES, MAX_CLIP_SECONDS } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Flag, NumberInPath } from '../http/shapes.js';
import { JobInPath } from '../jobs/job-routes.js';

export const segmentClip = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/detailed-results/:segmentId/clip/',
  summary: 'Clip of a segment',
  description:
    'The segment as an MP4 with pictures and sound, or as an M4A of a recording of sound. Packets are copied from the keyframe ' +
    `before its first picture, up to ${MAX_CLIP_SECONDS.copied / 60} minutes; with \`exact\` it is encoded anew, so that it begins and ` +
    `ends with the segment, up to ${MAX_CLIP_SECONDS.exact / 60} minutes. A clip that is not there yet is cut and waited for: 202 says that ` +
    'it takes longer, and when to ask again. It is kept for a day. Of a live stream the recording is cut. ' +
    'Takes Range, If-Range and If-None-Match.',
  tag: 'Results',
  params: JobInPath.extend({
    segmentId: NumberInPath.describe('Number of the segment in `detailed-results/` without filters, from 0'),
  }),
  query: z.object({
    exact: Flag.default(false).describe('Whether it is encoded anew to begin and end at the very frames'),
    handles: z.coerce
      .number()
      .min(0)
      .max(MAX_CLIP_HANDLES)
      // Each value is a file of its own.
      .multipleOf(CLIP_HANDLE_STEP, 'give whole or half seconds')
      .default(0)
      .describe('Seconds more at both ends, whole or half ones, as far as the source reaches'),
  }),
  reply: {
    contentType: 'video/mp4',
    description: 'The clip',
    isFile: true,
    pending: 'The clip is being cut; there is no body.',
  },
  errors: ['NOT_FOUND', 'CONFLICT', 'MEDIA_INVALID', 'RANGE_NOT_SATISFIABLE'],
});
