import {
  DatasetImport,
  DatasetImportErrorPage,
  DatasetImportPage,
  DatasetImportRequest,
  PageQuery,
  UntimedPageQuery,
} from '@adit/contracts';
import { examplePage } from '../http/example-page.js';
import { defineRoute } from '../http/route.js';
import { Message, UuidInPath } from '../http/shapes.js';
import { datasetParams, exampleDataset } from './dataset-routes.js';

const tag = 'Datasets';
const params = datasetParams.extend({ importId: UuidInPath.describe('Id of the import') });

const example = {
  id: '5f0e7c1a-2b3d-4c5e-8f90-1a2b3c4d5e6f',
  dataset_id: exampleDataset.id,
  file_uri: 'storage://mN3bV5cX7zL9kJ1hG4fD',
  folder: null,
  state: 'waiting' as const,
  progress: 0,
  error_msg: null,
  number_of_files: 0,
  number_of_images: 0,
  number_of_classes: 0,
  number_of_errors: 0,
  time_created: '2026-11-21T07:00:00.000000Z',
  time_started: null,
  time_completed: null,
  time_expiration: null,
};

export const createImport = defineRoute({
  method: 'POST',
  path: '/v1/datasets/:datasetId/imports/',
  summary: 'Import many pictures into a dataset',
  description:
    'From a zip archive with a folder for each class (`Ada Lovelace/1.jpg`), or one that `basic_dataset_export` or ' +
    'a tool for labels wrote; from a CSV with the columns `file_uri` and `label`, and perhaps `reference`, `notes` and ' +
    '`active`; or from a folder of the storage with a folder for each class. Pictures of an archive become files of the storage and go with their images. Classes are ' +
    'found by reference, else by label, and made where there are none. A file that cannot be imported is an error of its own, ' +
    'and the others go on.',
  tag,
  params: datasetParams,
  body: DatasetImportRequest,
  reply: DatasetImport,
  errors: ['NOT_FOUND', 'CONFLICT', 'SOURCE_REFUSED'],
  example: { body: { file_uri: example.file_uri }, reply: example },
});

export const listImports = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/imports/',
  summary: 'List the imports of a dataset, newest first',
  description: 'A page of them; each is kept for a week after its end.',
  tag,
  params: datasetParams,
  query: PageQuery,
  reply: DatasetImportPage,
  errors: ['NOT_FOUND'],
});

export const getImport = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/imports/:importId/',
  summary: 'Read an import',
  description: 'Its state, how far it is, and what it made.',
  tag,
  params,
  reply: DatasetImport,
  errors: ['NOT_FOUND'],
  example: {
    reply: { ...example, state: 'processing' as const, progress: 0.5, number_of_files: 20, number_of_images: 10 },
  },
});

export const listImportErrors = defineRoute({
  method: 'GET',
  path: '/v1/datasets/:datasetId/imports/:importId/errors/',
  summary: 'List the files that could not be imported',
  description: 'A page of them, with the reason of each; the first 10,000 are kept.',
  tag,
  params,
  query: UntimedPageQuery,
  reply: DatasetImportErrorPage,
  errors: ['NOT_FOUND'],
  example: {
    reply: examplePage({ file: 'Ada Lovelace/letter.pdf', code: 'unreadable', message: 'It is no picture (pdf).' }),
  },
});

export const deleteImport = defineRoute({
  method: 'DELETE',
  path: '/v1/datasets/:datasetId/imports/:importId/',
  summary: 'Stop an import, and remove it',
  description: 'Images that it has imported stay.',
  tag,
  params,
  reply: Message,
  errors: ['NOT_FOUND'],
  example: { reply: { message: 'The import was deleted; what it imported stays.' } },
});
