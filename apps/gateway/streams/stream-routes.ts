import { LiveStream, LiveStreamPage, PageQuery, StreamPicture } from '@adit/contracts';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { Flag } from '../http/shapes.js';
import { JobInPath } from '../jobs/job-routes.js';

const tag = 'Streams';

const example: LiveStream = {
  job_id: '6a1f0b7e-93c5-4f0e-8d0a-2b6c51f7e913',
  source: 'rtsp://camera.example.org/stream1',
  source_name: 'stream1',
  tag: 'entrance',
  state: 'processing',
  reading: 'reading',
  time_created: '2026-11-21T06:59:58.000000Z',
  time_zero: '2026-11-21T07:00:00.000000Z',
  position: 3_612,
  lag: 2.4,
  waiting_parts: 1,
  frames: 90_025,
  frame_rate: 25,
  gap_count: 1,
  gap_seconds: 11,
  last_gap: {
    number: 1,
    time_start: 1_200,
    time_end: 1_211,
    time_of_day_start: '2026-11-21T07:20:00.000000Z',
    time_of_day_end: '2026-11-21T07:20:11.000000Z',
    reason: 'The connection broke: nothing arrived for 10 s.',
  },
  recorded: true,
  segment_count: 48,
  previous_part: null,
  next_part: null,
};

export const listStreams = defineRoute({
  method: 'GET',
  path: '/v1/streams/',
  summary: 'Live streams and how they do, newest first',
  description:
    'One for each job of a live stream: each part of one that is split is a job. `GET /v1/events/` tells when one begins, ends or has ' +
    'a gap; everything else is read by asking again.',
  tag,
  query: PageQuery.extend({
    active: Flag.optional().describe(
      'true: those whose job waits or runs; false: those that have ended; left out: all',
    ),
  }),
  reply: LiveStreamPage,
  example: { reply: examplePage(example) },
});

export const getStream = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/stream/',
  summary: 'How the live stream of a job does',
  description: 'As one of `GET /v1/streams/`. 404 for a job of other media.',
  tag,
  params: JobInPath,
  reply: LiveStream,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const getStreamPicture = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/stream/picture/',
  summary: 'The newest picture of a live stream in which something was found',
  description:
    'A whole picture, of the newest of the last 50 detailed results that has one: so it is as old as that, and there is another when ' +
    '`segment_count` of the stream has grown. Its boxes are those detections of the results from `results_offset` on whose `frame_index` ' +
    'is its `frame`. 404 for none.',
  tag,
  params: JobInPath,
  reply: StreamPicture,
  errors: ['NOT_FOUND'],
  example: {
    reply: { image: '/9j/4AAQSkZJRg', width: 1280, height: 720, frame: 89_950, time: 3_598, results_offset: 20 },
  },
});
