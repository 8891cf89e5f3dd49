import { PageQuery, Report, ReportItemPage, ReportPage, UntimedPageQuery } from '@adit/contracts';
import { z } from 'zod';
import { exampleBatch } from '../batches/batch-routes.js';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { UuidInPath } from '../http/shapes.js';

const tag = 'Reports';
const params = z.object({ reportId: UuidInPath.describe('Id of the report') });

const example = {
  id: '9a1b2c3d-4e5f-4061-8273-94a5b6c7d8e9',
  title: `Diversity of ${exampleBatch.name}`,
  type: 'diversity' as const,
  state: 'waiting' as const,
  error_msg: null,
  time_created: '2026-11-21T07:00:00.000000Z',
};

export const createReport = defineRoute({
  method: 'POST',
  path: '/v1/batches/:batchId/report/',
  summary: 'Sum up the diversity of a batch and of each batch in it',
  description:
    'Of what advanced_diversity_analysis has found in their jobs by then. People whom no job knows are one category, ' +
    '`Unknown`: their numbers mean something within a job alone.',
  tag,
  params: z.object({ batchId: UuidInPath.describe('Id of the batch') }),
  reply: Report,
  errors: ['NOT_FOUND'],
  example: { reply: example },
});

export const listReports = defineRoute({
  method: 'GET',
  path: '/v1/reports/',
  summary: 'List reports, newest first',
  description: 'A page of the reports of the workspace.',
  tag,
  query: PageQuery,
  reply: ReportPage,
});

export const getReport = defineRoute({
  method: 'GET',
  path: '/v1/reports/:reportId/',
  summary: 'Read a report',
  description: 'Its state tells when its items are there.',
  tag,
  params,
  reply: Report,
  errors: ['NOT_FOUND'],
  example: { reply: { ...example, state: 'completed' as const } },
});

export const reportItems = defineRoute({
  method: 'GET',
  path: '/v1/reports/:reportId/items/',
  summary: 'What a report says of each batch: its jobs and those of all batches below it',
  description:
    'A batch comes before those in it. Empty until the report is completed. Speech times are estimates: what is said in a film ' +
    'belongs to whose face is on screen. They are empty where no job asked for speech_recognition beside ' +
    'advanced_diversity_analysis.',
  tag,
  params,
  query: UntimedPageQuery,
  reply: ReportItemPage,
  errors: ['NOT_FOUND'],
  example: {
    reply: examplePage({
      content: {
        batch_id: exampleBatch.id,
        report_info: {
          gender_count: { female: 2, male: 1 },
          age_count: { '30-44': 2, '45-59': 1 },
          person_screen_time: { 'Ada Lovelace': 42.4, Unknown: 17.2 },
          gender_screen_time: { female: 48.8, male: 10.8 },
          age_screen_time: { '30-44': 53.2, '45-59': 6.4 },
          gender_speech_time: { female: 35.6, male: 8.2 },
          age_speech_time: { '30-44': 39.9, '45-59': 3.9 },
          name_to_speech_time: { 'Ada Lovelace': 31.5, Unknown: 12.3 },
        },
      },
    }),
  },
});

export const deleteReport = defineRoute({
  method: 'DELETE',
  path: '/v1/reports/:reportId/',
  summary: 'Remove a report',
  description: 'Answers 204; the batches and their jobs stay.',
  tag,
  params,
  status: 204,
  reply: null,
  errors: ['NOT_FOUND'],
});
