import { ClassChange, ClassRequest, DatasetClass, DatasetClassPage } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Flag, inPages, Message, OptionalPage, UuidInPath } from '../http/shapes.js';
import { datasetParams } from './dataset-routes.js';

const tag = 'Datasets';
export const classParams = datasetParams.extend({ classId: UuidInPath.describe('Id of the class') });

export const exampleClass = {
  id: '2b1f0c9e-64ad-4f0a-9f43-7d7c7e0a5b21',
  reference: 'person-17',
  label: 'Ada Lovelace',
  preview_image: null,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_updated: '2026-11-21T07:00:00.000000Z',
  time_evaluated: {},
  active: true,
  notes: '',
  expiration_date: null,
  level: 0,
  number_of_images: 0,
  custom_fields: [],
  type: 'face' as const,
  evaluation_result: {},
};

export const listClasses = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/classes/',
  summary: 'List the classes of a dataset, the oldest first',
  description: 'A plain list of all; with `offset` or `limit` it comes in pages. Filters narrow it down together.',
  tag,
  params: datasetParams,
  query: OptionalPage.extend({
    search: z.string().max(255).optional().describe('Part of a label or reference'),
    reference: z.string().max(255).optional().describe('The exact reference'),
    active: Flag.optional().describe('true: active classes alone; false: inactive ones; left out: both'),
  }),
  reply: z.array(DatasetClass),
  otherwise: inPages(DatasetClassPage),
  errors: ['NOT_FOUND'],
  example: { reply: [exampleClass] },
});

export const createClass = defineRoute({
  method: 'POST',
  path: '/v1/datasets/:datasetId/classes/',
  summary: 'Add a class to a dataset',
  description: 'A person or a landmark. A `reference` that another class of the dataset has answers 409.',
  tag,
  params: datasetParams,
  body: ClassRequest,
  reply: DatasetClass,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: { body: { label: exampleClass.label, reference: exampleClass.reference }, reply: exampleClass },
});

export const getClass = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/classes/:classId/',
  summary: 'Read a class',
  description: 'Its images are a list of their own; the first of them is its preview.',
  tag,
  params: classParams,
  reply: DatasetClass,
  errors: ['NOT_FOUND'],
  example: { reply: exampleClass },
});

export const replaceClass = defineRoute({
  method: 'PUT',
  path: '/v1/datasets/:datasetId/classes/:classId/',
  summary: 'Replace the fields of a class',
  description: 'Fields left out get their defaults; only the `reference` stays.',
  tag,
  params: classParams,
  body: ClassRequest,
  reply: DatasetClass,
  errors: ['NOT_FOUND', 'CONFLICT'],
});

export const changeClass = defineRoute({
  method: 'PATCH',
  path: '/v1/datasets/:datasetId/classes/:classId/',
  summary: 'Change what is sent',
  description: 'Fields left out stay unchanged.',
  tag,
  params: classParams,
  body: ClassChange,
  reply: DatasetClass,
  errors: ['NOT_FOUND', 'CONFLICT'],
  example: {
    body: { notes: 'Presents the evening news' },
    reply: { ...exampleClass, notes: 'Presents the evening news' },
  },
});

export const deleteClassRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/:datasetId/classes/:classId/',
  summary: 'Remove a class',
  description: 'It is gone at once, its images and the files that came with them soon after.',
  tag,
  params: classParams,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: `The class ${exampleClass.label} was deleted.` } },
});
