import { Dataset, DatasetChange, DatasetPage, DatasetReplacement, DatasetRequest, PageQuery } from '@adit/contracts';
import { z } from 'zod';
import { defineRoute } from '../http/route.js';
import { Message, UuidInPath } from '../http/shapes.js';

const tag = 'Datasets';
export const datasetParams = z.object({ datasetId: UuidInPath.describe('Id of the dataset') });

/** A dataset right after its creation. */
export const exampleDataset = {
  id: '8f14e45f-ceea-467f-a9a8-0b6f6a1f2d33',
  name: 'Newsroom',
  description: '',
  type: 'face' as const,
  version: 1,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_updated: '2026-11-21T07:00:00.000000Z',
  number_of_classes: 0,
  number_of_active_classes: 0,
  number_of_images: 0,
  number_of_active_images: 0,
  preview_images: [],
  evaluation_result: {},
  evaluation_state: 0,
  issues: { has_error: false, has_warning: false, reasons: [] },
};

const described = { description: 'The people of our newsroom' };

export const listDatasets = defineRoute({
  method: 'GET',
  path: '/v1/datasets/',
  summary: 'List datasets, the oldest first',
  description: 'A page of the datasets of the workspace.',
  tag,
  query: PageQuery,
  reply: DatasetPage,
});

export const createDataset = defineRoute({
  method: 'POST',
  path: '/v1/datasets/',
  summary: 'Make a dataset',
  description:
    '`face` teaches people and nothing else, `landmark` landmarks. Its classes and their images come after it.',
  tag,
  body: DatasetRequest,
  reply: Dataset,
  example: { body: { name: 'Newsroom', type: 'face' }, reply: exampleDataset },
});

export const getDataset = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/',
  summary: 'Read a dataset',
  description:
    'What is counted is counted as it is read. Images are evaluated in the background: `evaluation_state` says how many ' +
    'have been, `issues` what was found, with the first images of each kind.',
  tag,
  params: datasetParams,
  reply: Dataset,
  errors: ['NOT_FOUND'],
  example: { reply: exampleDataset },
});

export const replaceDataset = defineRoute({
  method: 'PUT',
  path: '/v1/datasets/:datasetId/',
  summary: 'Replace name and description',
  description: 'Fields left out become empty; the type stays.',
  tag,
  params: datasetParams,
  body: DatasetReplacement,
  reply: Dataset,
  errors: ['NOT_FOUND'],
  example: {
    body: { name: exampleDataset.name, ...described },
    reply: { ...exampleDataset, ...described, version: 2 },
  },
});

export const changeDataset = defineRoute({
  method: 'PATCH',
  path: '/v1/datasets/:datasetId/',
  summary: 'Change what is sent',
  description: 'Name and description; what is left out stays as it is.',
  tag,
  params: datasetParams,
  body: DatasetChange,
  reply: Dataset,
  errors: ['NOT_FOUND'],
  example: { body: described, reply: { ...exampleDataset, ...described, version: 2 } },
});

export const deleteDataset = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/:datasetId/',
  summary: 'Remove a dataset, or a dictionary under the path where that was once listed',
  description:
    'The dataset is gone at once, its images and the files that came with them soon after, however many they are. Models ' +
    'that were trained with it stay. The id of a dictionary does what `DELETE /v1/dictionaries/{dictionaryId}/` does, for ' +
    'clients that were written after the older listing.',
  tag,
  params: datasetParams,
  reply: Message,
  errors: ['NOT_FOUND', 'CONFLICT', 'FORBIDDEN'],
  example: { reply: { message: `The dataset ${exampleDataset.name} was deleted.` } },
});
