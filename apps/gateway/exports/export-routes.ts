import { ArtifactPage, Export, ExportPage, ExportRequest, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { UuidInPath } from '../http/shapes.js';
import { exampleJob } from '../jobs/job-examples.js';

const tag = 'Exports';
const params = z.object({ exportId: UuidInPath.describe('Id of the export') });

const body = {
  strategy: 'job_results_export' as const,
  config: { job_id: exampleJob.id, format: 'xlsx' },
};
const example = {
  id: '2c5d8e1f-7a90-4b3c-8d6e-0f1a2b3c4d5e',
  ...body,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_completed: null,
  state: 'waiting' as const,
  progress: 0,
  error_msg: null,
  notes: [],
};

export const createExport = defineRoute({
  method: 'POST',
  path: '/v1/exports/',
  summary: 'Have files made of what is stored',
  description:
    '`job_results_export` writes the results that a job has by then, as json, csv or xlsx; `transcript_export` a version of a ' +
    'transcript, as srt, vtt, ttml, stl, txt, docx or json. `segments_export` hands what was found in films and recordings to an editing ' +
    'program, as otio, edl, fcp7xml, fcpxml, ale, avid_markers, resolve_edl, stl, vtt or csv; with `search` in place of `job_id`, what that finds in all jobs, up to 10,000 results of 1,000 jobs, and a zip of ' +
    'several files where a format cannot hold the sources together; with `refine` jobs look for the first and the last frame of each segment, and `notes` say which borders stay as sampled. `clips_export` has decoders cut the segments, up to 500 of them and 20 GiB, and writes a zip of the clips with `clips.csv` and `clips.json`, which name each file and why a segment has none. `basic_dataset_export` writes a zip of a dataset: its images by class and `dataset.json`, from which an import makes the same ' +
    'dataset; `coco_export` the same with `annotations.json` in the format of COCO. The token of an access key makes exports of ' +
    'transcripts, and of what `export_strategies` of the key names; others answer 403.',
  tag,
  body: ExportRequest,
  refuses: ({ exportStrategies: reached }, { body: { strategy, config } }) => {
    if (reached === null) return null;
    if (!reached.includes(strategy))
      return `The access key of this token reaches exports of ${reached.join(', ')} only; ${strategy} has to be in its export_strategies.`;
    return 'search' in config ? 'Tokens of access keys do not search: name a job.' : null;
  },
  reply: Export,
  example: { body, reply: example },
});

export const listExports = defineRoute({
  method: 'GET',
  path: '/v1/exports/',
  summary: 'List exports, newest first',
  description: 'A page of the exports of the workspace; for the token of an access key, of those that it reaches.',
  tag,
  query: PageQuery,
  reply: ExportPage,
});

export const getExport = defineRoute({
  method: 'GET',
  path: '/v1/exports/:exportId/',
  summary: 'Read an export',
  description: 'Its state and progress; its files are a list of their own.',
  tag,
  params,
  reply: Export,
  errors: ['NOT_FOUND'],
  example: { reply: { ...example, state: 'processing' as const, progress: 0.4 } },
});

export const exportArtifacts = defineRoute({
  method: 'GET',
  path: '/v1/exports/:exportId/artifacts/',
  summary: 'Files of an export, kept for a week',
  description: 'A page of files, empty until the export is completed.',
  tag,
  params,
  query: PageQuery,
  reply: ArtifactPage,
  errors: ['NOT_FOUND'],
  example: {
    reply: examplePage({
      id: '3f8b5d27-6e1c-4a90-b4d3-7a2c9f0e1b58',
      filename: `results-${exampleJob.id}.xlsx`,
      mime_type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      time_created: '2026-11-21T07:05:00.000000Z',
      time_expiration: '2026-11-28T07:05:00.000000Z',
      export_id: example.id,
    }),
  },
});

export const exportFile = defineRoute({
  method: 'GET',
  path: '/v1/exports/:exportId/artifacts/:artifactId/file/',
  summary: 'Download a file of an export',
  description: 'Takes Range, If-Range and If-None-Match.',
  tag,
  params: params.extend({ artifactId: UuidInPath.describe('Id of the file') }),
  reply: { contentType: 'application/octet-stream', description: 'The file', isFile: true },
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
});
