import { IsoTime } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { exampleJob } from '../jobs/job-examples.js';
import { JobInPath } from '../jobs/job-routes.js';

const tag = 'Results';
/** Jobs have far fewer sources. */
const MAX_SOURCE = 999_999;

const MediaLink = z
  .strictObject({
    filename: z.string().describe('Name of the file: as it was uploaded, or the last part of its path'),
    content_type: z.string().nullable().describe('Its media type as far as it is known'),
    size: z.int().describe('Bytes of the file'),
    link: z.string().describe('What `GET /v1/media/` takes; to be treated like a key until it expires'),
    url: z.string().describe('Address of the file with the link in it, for a player or a picture'),
    time_expires: IsoTime.describe('When the link ends, ten minutes after it was made'),
  })
  .meta({ id: 'MediaLink' });

const link = `${exampleJob.id}.0.3d0f4c1e-7a52-4a0e-9a43-0f2d8a1b6c11.1795244400.EXAMPLE`;

export const jobMedia = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/media/',
  summary: 'A link by which a player reads a source of a job',
  description:
    'Media elements send no key: this answers an address that is signed for ten minutes and opens this one file. It ends with the ' +
    'key that asked for it. 404 where the source is neither an uploaded file nor one that the gateway can open.',
  tag,
  params: JobInPath,
  query: z.object({
    source: z.coerce.number().int().min(0).max(MAX_SOURCE).default(0).describe('Index in `sources`, from 0; default 0'),
  }),
  secret: true,
  reply: MediaLink,
  errors: ['NOT_FOUND'],
  example: {
    reply: {
      filename: 'evening.mp4',
      content_type: 'video/mp4',
      size: 48_211_377,
      link,
      url: `https://adit.example.org/api/v1/media/?link=${link}`,
      time_expires: '2026-11-21T07:20:00.000000Z',
    },
  },
});

export const linkedMedia = defineRoute({
  method: 'GET',
  path: '/v1/media/',
  summary: 'The file that a link opens',
  description:
    'Needs no key but a link of `GET /v1/jobs/{jobId}/media/`: 401 once that has expired, or its key was revoked. Takes Range, ' +
    'If-Range and If-None-Match.',
  tag,
  access: 'public',
  query: z.object({ link: z.string().max(255).describe('The link') }),
  reply: { contentType: 'application/octet-stream', description: 'The file', isFile: true },
  errors: ['UNAUTHENTICATED', 'NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
});
