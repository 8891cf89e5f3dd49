import {
  ArtifactPage,
  DetailedResultPage,
  PageQuery,
  StreamGapPage,
  SummarizedResultPage,
  UntimedPageQuery,
} from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { UuidInPath } from '../http/shapes.js';
import { JobInPath } from '../jobs/job-routes.js';
import { exampleArtifacts, exampleGap, exampleSegments, exampleSummary } from './result-examples.js';

const tag = 'Results';
const seconds = z.coerce.number().nonnegative().optional();

export const detailedResults = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/detailed-results/',
  summary: 'Segments in the order in which they became final',
  description:
    'A page of segments; they may be read while the job runs, offsets stay. Filters narrow it down together.',
  tag,
  params: JobInPath,
  query: UntimedPageQuery.extend({
    module: z.string().max(255).optional().describe('Id of a module, or the name its results carry'),
    type: z.string().max(255).optional().describe('The exact type, such as `face`'),
    label: z.string().max(255).optional().describe('Part of the label, or of what was said or stood there'),
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
  example: { reply: examplePage(...exampleSegments) },
});

export const summarizedResults = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/summarized-results/',
  summary: 'Sums over a whole source',
  description: 'A page of sums such as counts and screen times, one entry for each source, module and type.',
  tag,
  params: JobInPath,
  query: UntimedPageQuery.extend({
    module: z.string().max(255).optional().describe('Id of a module, or the name its results carry'),
    type: z.string().max(255).optional().describe('The exact type, such as `gender_count`'),
  }),
  reply: SummarizedResultPage,
  errors: ['NOT_FOUND'],
  example: { reply: examplePage(...exampleSummary) },
});

export const listGaps = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/gaps/',
  summary: 'Gaps of a live stream',
  description:
    'A page of the times of which nothing arrived, the oldest first, while the job runs and after it. The newest 10,000 ' +
    'are kept. A job without a live stream has none.',
  tag,
  params: JobInPath,
  query: UntimedPageQuery,
  reply: StreamGapPage,
  errors: ['NOT_FOUND'],
  example: { reply: examplePage(exampleGap) },
});

export const listArtifacts = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/artifacts/',
  summary: 'Files a job made',
  description: 'A page of files, among them `results.json` and `report.html`, kept until `time_expiration`.',
  tag,
  params: JobInPath,
  query: PageQuery,
  reply: ArtifactPage,
  errors: ['NOT_FOUND'],
  example: { reply: examplePage(...exampleArtifacts) },
});

export const artifactFile = defineRoute({
  method: 'GET',
  path: '/v1/jobs/:jobId/artifacts/:artifactId/file/',
  summary: 'Download an artifact',
  description: 'Takes Range, If-Range and If-None-Match.',
  tag,
  params: JobInPath.extend({ artifactId: UuidInPath.describe('Id of the file') }),
  reply: { contentType: 'application/octet-stream', description: 'The file', isFile: true },
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
});
