import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { Part } from './multipart.js';
import { WEBHOOK, type World } from './world.js';

/** A trial of one row of the interface. The path implies the rest: 401, 404, 405, both slashes. */
export interface Trial {
  /** Ids for the variables of the path, of things that are there. */
  ids?: (world: World) => Promise<string[]>;
  query?: string;
  /** Instead of `query`, when it names things that are there. */
  queryFor?: (world: World) => Promise<string>;
  body?: unknown;
  /** Instead of `body`, when it names things that are there. */
  bodyFor?: (world: World) => Promise<unknown>;
  form?: Record<string, Part>;
  /** Default 200. */
  status?: number;
  /** Bodies, forms and queries that have to answer 400. */
  wrong?: { body?: unknown; form?: Record<string, Part>; query?: string }[];
  /** Members that the reply must have beside its shape. */
  reply?: object;
}

const job = async (world: World): Promise<string[]> => [await world.job()];
const mined = async (world: World): Promise<string[]> => [(await world.minedJob()).jobId];
const model = async (world: World): Promise<string[]> => [await world.model()];
const ownModel = async (world: World): Promise<string[]> => [await world.ownModel()];
const collection = async (world: World): Promise<string[]> => [await world.collection()];
const indexed = async (world: World): Promise<string[]> => [(await world.identity())[0]];
const identity = (world: World): Promise<string[]> => world.identity();
const dictionary = async (world: World): Promise<string[]> => [await world.dictionary()];
const file = async (world: World): Promise<string[]> => [await world.file()];
const shownFile = async (world: World): Promise<string[]> => [await world.shownFile()];
const accessKey = async (world: World): Promise<string[]> => [await world.accessKey()];

const dataset = async (world: World): Promise<string[]> => [await world.dataset()];
const class_ = async (world: World): Promise<string[]> => world.datasetClass();
const image = async (world: World): Promise<string[]> => world.datasetImage();

const training = async (world: World): Promise<string[]> => [await world.training()];

const webhook = async (world: World): Promise<string[]> => [await world.webhook()];

const batch = async (world: World): Promise<string[]> => [await world.batch()];
const report = async (world: World): Promise<string[]> => [await world.report()];
const exported = async (world: World): Promise<string[]> => [(await world.exported()).exportId];

const transcript = (world: World): Promise<string[]> => world.transcript();

const wrongPages = [{ query: 'limit=0' }, { query: 'offset=-1' }, { query: 'limit=ten' }];
const page = { query: 'offset=0&limit=2', reply: { offset: 0, limit: 2 }, wrong: wrongPages };
const text = (content: string, contentType = 'text/plain'): Record<string, Part> => ({
  file: { filename: 'names.txt', contentType, bytes: Buffer.from(content) },
});
const files = (content: string): Record<string, Part> => ({
  files: { filename: 'jobs.csv', contentType: 'text/csv', bytes: Buffer.from(content) },
});
const key = { name: 'editor', scopes: ['transcript.read', 'export.write'] };

const CLASS = '/v1/datasets/{DATASET_ID}/classes/{CLASS_ID}';

/** By method and path as the interface writes them. A row without a trial fails the contract. */
export const TRIALS: Record<string, Trial> = {
  'GET /v1/jobs/': { ...page, wrong: [...wrongPages, { query: 'state=done' }] },
  'GET /v1/jobs/{JOB_ID}/': {
    ids: job,
    reply: { state: 'waiting' },
  },
  'POST /v1/jobs/': {
    body: { modules: { face_recognition: {} }, tag: 'contract', ttl: 3600 },
    reply: {
      state: 'waiting',
      progress: 0,
      duration: 0,
      tag: 'contract',
      time_started: null,
      time_completed: null,
      errors: [],
    },
    wrong: [{ body: {} }, { body: { modules: {} } }, { body: { modules: { unknown: {} } } }, { body: [] }],
  },
  'DELETE /v1/jobs/{JOB_ID}/': { ids: job },
  'GET /v1/jobs/{JOB_ID}/artifacts/': { ids: mined, ...page, reply: { total: 1 } },
  'GET /v1/jobs/{JOB_ID}/artifacts/{ARTIFACT_ID}/file/': {
    ids: async (world) => Object.values(await world.minedJob()),
    reply: { summary: [] },
  },
  'GET /v1/jobs/{JOB_ID}/summarized-results/': { ids: mined, ...page, reply: { total: 1 } },
  'GET /v1/jobs/{JOB_ID}/detailed-results/': {
    ids: mined,
    ...page,
    reply: { total: 1 },
    wrong: [...wrongPages, { query: 'min_confidence=70' }, { query: 'time_start=-1' }],
  },

  'GET /v1/models/': { wrong: wrongPages },
  'GET /v1/models/{MODEL_ID}/': { ids: model, reply: { type: 'face', is_public: false, name: 'newsroom' } },
  'PUT /v1/models/{MODEL_ID}/': {
    ids: model,
    body: { description: 'The people of our newsroom', custom_fields: [{ owner: 'archive' }] },
    reply: { name: 'newsroom', description: 'The people of our newsroom', custom_fields: [{ owner: 'archive' }] },
    wrong: [{ body: [] }, { body: { custom_fields: {} } }, { body: { description: 7 } }, { body: { unknown: 1 } }],
  },
  'DELETE /v1/models/{MODEL_ID}/': { ids: ownModel },

  'GET /v1/datasets/': page,
  'GET /v1/datasets/{DATASET_ID}/': { ids: dataset, reply: { type: 'face', number_of_images: 0, preview_images: [] } },
  'POST /v1/datasets/': {
    body: { name: 'Newsroom', description: 'Who reads the news', type: 'landmark' },
    reply: { name: 'Newsroom', description: 'Who reads the news', type: 'landmark', number_of_classes: 0 },
    wrong: [
      { body: {} },
      { body: { name: 'x' } },
      { body: { name: 'x', type: 'logo' } },
      { body: { name: '', type: 'face' } },
    ],
  },
  'PUT /v1/datasets/{DATASET_ID}/': {
    ids: dataset,
    body: { name: 'Archive', description: 'Who was there' },
    reply: { name: 'Archive', description: 'Who was there', type: 'face' },
    wrong: [{ body: { description: 'no name' } }, { body: { name: 7 } }],
  },
  'DELETE /v1/datasets/{DATASET_ID}/': { ids: dataset },
  'GET /v1/datasets/{DATASET_ID}/classes/': { ids: dataset, reply: [], wrong: wrongPages },
  'POST /v1/datasets/{DATASET_ID}/classes/': {
    ids: dataset,
    body: { label: 'Ada', notes: 'x', expiration_date: '2030-01-01', custom_fields: [{ desk: 'politics' }] },
    reply: {
      label: 'Ada',
      active: true,
      expiration_date: '2030-01-01T00:00:00.000000Z',
      type: 'face',
      preview_image: null,
    },
    wrong: [
      { body: {} },
      { body: { label: '' } },
      { body: { label: 'a', expiration_date: 'tomorrow' } },
      { body: { label: 'a', active: 'yes' } },
    ],
  },
  [`GET ${CLASS}/`]: { ids: class_, reply: { label: 'Ada', number_of_images: 0 } },
  [`PUT ${CLASS}/`]: {
    ids: class_,
    body: { label: 'Ada Lovelace', active: false },
    reply: { label: 'Ada Lovelace', active: false, reference: 'person-17' },
    wrong: [{ body: { active: false } }],
  },
  [`DELETE ${CLASS}/`]: { ids: class_ },
  [`GET ${CLASS}/images/`]: { ids: class_, reply: [], wrong: wrongPages },
  [`POST ${CLASS}/images/`]: {
    ids: class_,
    bodyFor: async (world) => ({ file_uri: await world.picture(), notes: 'in the park' }),
    reply: { active: true, notes: 'in the park', is_auto_generated: false, evaluation_result: {} },
    wrong: [
      { body: {} },
      { body: { file_uri: 'https://example.org/a.jpg' } },
      { body: { file_uri: 'storage://nothing' } },
      { form: { notes: 'no file' } },
      { form: text('no picture') },
    ],
  },
  [`GET ${CLASS}/images/{IMAGE_ID}`]: { ids: image, reply: { active: true } },
  [`PUT ${CLASS}/images/{IMAGE_ID}`]: {
    ids: image,
    body: { active: false, notes: 'blurred' },
    reply: { active: false, notes: 'blurred' },
    wrong: [{ body: { active: 1 } }, { body: { file_uri: 'storage://nothing' } }],
  },
  [`DELETE ${CLASS}/images/{IMAGE_ID}`]: { ids: image },
  'GET /v1/index-collection/': { wrong: wrongPages },
  'GET /v1/index-collection/{COLLECTION_NAME}/': { ids: collection, reply: { type: 'face', is_public: false } },
  'POST /v1/index-collection/': {
    bodyFor: async () => ({ name: `Archive ${randomUUID()}`, description: 'Since 1960', type: 'face' }),
    reply: { description: 'Since 1960', type: 'face', number_of_identities: 0, embedding: null },
    wrong: [{ body: {} }, { body: { name: 'a/b' } }, { body: { name: 'a', type: 'object' } }, { body: [] }],
  },
  'PUT /v1/index-collection/': {
    bodyFor: async (world) => ({ name: await world.collection(), description: 'Since 1950' }),
    reply: { description: 'Since 1950' },
    wrong: [{ body: {} }, { body: { name: 'default_index', description: 7 } }],
  },
  'DELETE /v1/index-collection/{COLLECTION_NAME}/': { ids: collection },
  'GET /v1/index-collection/{COLLECTION_NAME}/identities/': { ids: indexed, wrong: wrongPages },
  'GET /v1/index-collection/{COLLECTION_NAME}/identities/{INDEX_ID}/': { ids: identity, reply: { label: '' } },
  'PUT /v1/index-collection/{COLLECTION_NAME}/identities/': {
    ids: indexed,
    body: { index_id: '1234567890', label: 'Ada' },
    bodyFor: async (world) => ({ index_id: await world.indexId(), label: 'Ada' }),
    reply: { label: 'Ada', merged: [] },
    wrong: [{ body: {} }, { body: { index_id: 'x', label: 'Ada' } }, { body: { index_id: '1234567890' } }],
  },
  'DELETE /v1/index-collection/{COLLECTION_NAME}/identities/{INDEX_ID}/': { ids: identity },

  'GET /v1/trainings/': { wrong: wrongPages },
  'GET /v1/trainings/{TRAINING_ID}/': { ids: training, reply: { state: 'waiting', output_model: null } },
  'POST /v1/trainings/': {
    bodyFor: async (world) => ({ source_dataset_id: await world.dataset(), output_model_name: 'people' }),
    reply: {
      ...{ type: 'face', state: 'waiting', error: '', progress: 0, output_model: null },
      config: { min_face_size: 80, sharpness_threshold: 40 },
    },
    wrong: [
      { body: {} },
      { body: { source_dataset_id: 'x', output_model_name: 'people' } },
      { body: { source_dataset_id: 'x', output_model_name: '../people' } },
      { body: { source_dataset_id: 'x', output_model_name: 'a', config: { epochs: 3 } } },
    ],
  },
  'DELETE /v1/trainings/': {
    queryFor: async (world) => `id=${await world.training()}`,
    wrong: [{ query: 'name=x' }],
  },

  'GET /v1/dictionaries/': { wrong: wrongPages },
  'GET /v1/dictionaries/{DICTIONARY_ID}/': { ids: dictionary, reply: { type: 'simple', is_public: false } },
  'POST /v1/dictionaries/': {
    form: { ...text('source,target\na,b\n', 'text/csv'), language: 'auto' },
    reply: { type: 'map', language: 'any' },
    wrong: [
      { form: { language: 'any' } },
      { form: text('a,b\n', 'text/csv') },
      { form: { ...text('a'), language: 'x' } },
    ],
  },
  'DELETE /v1/datasets/{DICTIONARY_ID}/': { ids: dictionary },

  'POST /v1/batches/files/': {
    form: {
      files: {
        filename: 'evening.csv',
        contentType: 'text/csv',
        bytes: Buffer.from('source,tag,modules\nhttps://example.org/a.mp4,evening,face_recognition\n'),
      },
      parent_name: 'Election night',
    },
    reply: [{ file: 'evening.csv', success: true, error: null, batch: { name: 'evening' } }],
    wrong: [{ form: { parent_name: 'no file' } }, { form: { ...files('a'), parent_id: 'x', parent_name: 'y' } }],
  },
  'POST /v1/batches/{BATCH_ID}/report/': {
    ids: batch,
    reply: { type: 'diversity', state: 'waiting', error_msg: null },
  },
  'DELETE /v1/batches/{BATCH_ID}/': { ids: batch },
  'GET /v1/reports/': page,
  'GET /v1/reports/{REPORT_ID}/': { ids: report, reply: { state: 'waiting' } },
  'GET /v1/reports/{REPORT_ID}/items/': { ids: report, ...page },
  'DELETE /v1/reports/{REPORT_ID}/': { ids: report, status: 204 },

  'GET /v1/transcripts/{TRANSCRIPT_ID}/variants/{VARIANT_ID}/versions/': { ids: transcript, ...page },
  'POST /v1/transcripts/{TRANSCRIPT_ID}/variants/{VARIANT_ID}/versions/': {
    ids: transcript,
    body: { changes: [{ after: null, text: 'Hello.', time_start: 0, time_end: 1 }] },
    reply: { version: 2, paragraph_count: 3, restored_version: null },
    wrong: [
      { body: [] },
      { body: { base_version: 9 } },
      { body: { changes: [{ id: 'x', text: 'Hello.' }] } },
      { body: { changes: [{ after: null, text: 'Hello.', time_start: 2, time_end: 1 }] } },
      { body: { changes: [], restore_version: 0 } },
      { body: { changes: [{ after: null, text: 'a '.repeat(2_001), time_start: 0, time_end: 1 }] } },
    ],
  },
  'GET /v1/transcripts/{TRANSCRIPT_ID}/variants/{VARIANT_ID}/versions/{VERSION}': {
    ids: async (world) => [...(await transcript(world)), '1'],
    reply: { version: 1, paragraph_count: 2 },
  },
  'DELETE /v1/transcripts/{TRANSCRIPT_ID}/variants/{VARIANT_ID}/versions/{VERSION}': {
    ids: async (world) => {
      const [id, variant] = await world.transcript();
      await world.ask('POST', `/api/v1/transcripts/${id}/variants/${variant}/versions/`, {});
      return [id, variant, '1'];
    },
  },

  'GET /v1/exports/': page,
  'GET /v1/exports/{EXPORT_ID}/': { ids: exported, reply: { strategy: 'job_results_export', state: 'waiting' } },
  'POST /v1/exports/': {
    bodyFor: async (world) => ({
      strategy: 'job_results_export',
      config: { job_id: await world.job(), format: 'csv' },
    }),
    reply: { state: 'waiting', progress: 0, time_completed: null, error_msg: null },
    wrong: [
      { body: {} },
      { body: { strategy: 'unknown_export', config: {} } },
      { body: { strategy: 'basic_dataset_export', config: { dataset_id: 'x' } } },
      { body: { strategy: 'transcript_export', config: {} } },
      { body: { strategy: 'job_results_export', config: {} } },
      { body: { strategy: 'job_results_export', config: { job_id: 'x' } } },
      { body: { strategy: 'job_results_export', config: { job_id: 'x', format: 'pdf' } } },
      { body: { strategy: 'segments_export', config: { job_id: 'x', format: 'edl' } } },
      { body: { strategy: 'segments_export', config: { job_id: 'x', format: 'edl', handles: -1 } } },
      { body: { strategy: 'segments_export', config: { search: { q: '(' }, format: 'edl' } } },
      { body: { strategy: 'clips_export', config: { job_id: 'x' } } },
      { body: { strategy: 'clips_export', config: { job_id: 'x', handles: 0.3 } } },
    ],
  },
  'GET /v1/exports/{EXPORT_ID}/artifacts/': { ids: exported, ...page, reply: { total: 1 } },
  'GET /v1/exports/{EXPORT_ID}/artifacts/{ARTIFACT_ID}/file/': {
    ids: async (world) => Object.values(await world.exported()),
    reply: { summary: [] },
  },

  'GET /v1/storage/': { query: 'folder=/' },
  'GET /v1/storage/{STORAGE_ID}/': { ids: file, reply: { uploaded: true, is_folder: false } },
  'GET /v1/storage/{STORAGE_ID}/file/': { ids: file },
  'GET /v1/storage/{STORAGE_ID}/thumbnail/': { ids: shownFile },
  'POST /v1/storage/': {
    query: 'folder=/contract&if_exists=replace',
    form: text('hello'),
    reply: { file_size: 5, uploaded: true, upload_failed: false },
    wrong: [{ form: { name: 'nothing' }, query: 'folder=/contract' }],
  },
  'DELETE /v1/storage/{STORAGE_ID}/': { ids: file },

  'GET /v2/storage/': { ...page, query: 'folder=/&offset=0&limit=2', wrong: wrongPages },
  'GET /v2/storage/{STORAGE_ID}/': { ids: file, reply: { uploaded: true } },
  'GET /v2/storage/{STORAGE_ID}/file/': { ids: file },
  'GET /v2/storage/{STORAGE_ID}/thumbnail/': { ids: shownFile },
  'POST /v2/storage/': {
    query: 'folder=/contract&if_exists=replace',
    form: text('hello'),
    reply: { file_size: 5, uploaded: true, upload_failed: false },
    wrong: [{ form: { name: 'nothing' }, query: 'folder=/contract' }],
  },
  'DELETE /v2/storage/{STORAGE_ID}/': { ids: file },

  'GET /v1/access-keys/': { wrong: wrongPages },
  'POST /v1/access-keys/': {
    body: { ...key, type: 'jwt' },
    reply: { ...key, type: 'jwt', secret: expect.any(String) },
    wrong: [{ body: {} }, { body: { ...key, type: 'basic' } }, { body: { ...key, scopes: ['everything'] } }],
  },
  'GET /v1/access-keys/{ID}/': { ids: accessKey, reply: { name: 'editor' } },
  'PUT /v1/access-keys/{ID}/': { ids: accessKey, body: key, reply: key, wrong: [{ body: { name: 'half' } }] },
  'PATCH /v1/access-keys/{ID}/': {
    ids: accessKey,
    body: { scopes: [] },
    reply: { name: 'editor', scopes: [] },
    wrong: [{ body: { scopes: 'all' } }],
  },
  'DELETE /v1/access-keys/{ID}/': { ids: accessKey },

  'GET /v1/webhooks/': { wrong: wrongPages },
  'POST /v1/webhooks/': {
    body: { ...WEBHOOK, description: 'contract' },
    reply: { ...WEBHOOK, description: 'contract' },
    wrong: [
      { body: {} },
      { body: { ...WEBHOOK, event: 'svc.nothing' } },
      { body: { ...WEBHOOK, url: 'http://10.0.0.1/' } },
    ],
  },
  'GET /v1/webhooks/{WEBHOOK_ID}/': { ids: webhook, reply: { event: WEBHOOK.event, url: WEBHOOK.url } },
  'PUT /v1/webhooks/{WEBHOOK_ID}/': { ids: webhook, body: WEBHOOK, reply: WEBHOOK, wrong: [{ body: {} }] },
  'PATCH /v1/webhooks/{WEBHOOK_ID}/': {
    ids: webhook,
    body: { description: 'another' },
    reply: { ...WEBHOOK, description: 'another' },
    wrong: [{ body: { event: 7 } }],
  },
  'DELETE /v1/webhooks/{WEBHOOK_ID}/': { ids: webhook },
};
