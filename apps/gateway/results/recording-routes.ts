import { Recording } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { JobInPath } from '../jobs/job-routes.js';
import { exampleRecording } from './result-examples.js';

const tag = 'Results';
const TicketQuery = z.object({
  ticket: z
    .string()
    .max(255)
    .optional()
    .describe(
      'Takes the place of a key, since players send none: it comes with the addresses of GET /v1/jobs/{id}/recording/, and is good for that recording for 12 hours',
    ),
});

export const getRecording = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/recording/',
  summary: 'Recording of a live stream',
  description:
    'Says what is kept of the stream, and the address of its HLS playlist (RFC 8216, with fMP4 segments) for browsers and players. ' +
    'A job has a recording when it was posted with `record`.',
  tag,
  params: JobInPath,
  secret: true,
  reply: Recording,
  errors: ['NOT_FOUND'],
  example: { reply: exampleRecording },
});

export const recordingPlaylistFile = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/recording/index.m3u8',
  summary: 'HLS playlist of a recording',
  description:
    'Players load it again while the stream runs. 404 until there is a first segment, which takes some seconds.',
  tag,
  params: JobInPath,
  query: TicketQuery,
  reply: { contentType: 'application/vnd.apple.mpegurl', description: 'The playlist' },
  errors: ['NOT_FOUND'],
});

export const recordingPart = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/recording/:part',
  summary: 'Segment of a recording',
  description:
    'The parts that the playlist lists: `<number>.m4s`, and `header-<digest>.mp4` which they are played with. Takes Range, If-Range ' +
    'and If-None-Match.',
  tag,
  params: JobInPath.extend({
    part: z.string().max(64).describe('Name of the part, as the playlist has it'),
  }),
  query: TicketQuery,
  reply: { contentType: 'video/mp4', description: 'The part', isFile: true },
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
});
