/** Every method and path that the interface names, in its order; `{NAME}` is a variable. */
export interface InterfaceRow {
  section: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** A question that the interface leaves open, and our decision. */
  note?: string;
}

type Cell = [methods: string, path: string, more?: Pick<InterfaceRow, 'note'>];

function section(title: string, cells: Cell[]): InterfaceRow[] {
  return cells.flatMap(([methods, path, more = {}]) =>
    methods.split(' ').map((method) => ({ section: title, method: method as InterfaceRow['method'], path, ...more })),
  );
}

const class_ = '/v1/datasets/{DATASET_ID}/classes/{CLASS_ID}';
const image = `${class_}/images/{IMAGE_ID}`;
const collection = '/v1/index-collection/{COLLECTION_NAME}';
const versions = '/v1/transcripts/{TRANSCRIPT_ID}/variants/{VARIANT_ID}/versions';

export const INTERFACE_ROWS: readonly InterfaceRow[] = [
  ...section('Jobs', [
    ['GET', '/v1/jobs/'],
    ['GET', '/v1/jobs/{JOB_ID}/'],
    ['POST', '/v1/jobs/'],
    ['DELETE', '/v1/jobs/{JOB_ID}/'],
    ['GET', '/v1/jobs/{JOB_ID}/artifacts/'],
    ['GET', '/v1/jobs/{JOB_ID}/artifacts/{ARTIFACT_ID}/file/'],
    ['GET', '/v1/jobs/{JOB_ID}/summarized-results/'],
    ['GET', '/v1/jobs/{JOB_ID}/detailed-results/'],
  ]),
  ...section('Datasets, classes, images', [
    ['GET', '/v1/datasets/'],
    ['GET', '/v1/datasets/{DATASET_ID}/'],
    ['POST', '/v1/datasets/'],
    ['PUT', '/v1/datasets/{DATASET_ID}/', { note: 'replaces `name` and `description`' }],
    ['DELETE', '/v1/datasets/{DATASET_ID}/'],
    ['GET POST', '/v1/datasets/{DATASET_ID}/classes/'],
    ['GET PUT DELETE', `${class_}/`],
    ['GET POST', `${class_}/images/`],
    ['GET PUT DELETE', image],
  ]),
  ...section('Trainings and models', [
    ['GET POST', '/v1/trainings/'],
    ['GET', '/v1/trainings/{TRAINING_ID}/'],
    ['DELETE', '/v1/trainings/', { note: 'as listed, with `?id=`; `DELETE /v1/trainings/{TRAINING_ID}/` does it too' }],
    ['GET', '/v1/models/'],
    ['GET', '/v1/models/{MODEL_ID}/'],
    ['PUT', '/v1/models/{MODEL_ID}/', { note: 'replaces `description` and `custom_fields`' }],
    ['DELETE', '/v1/models/{MODEL_ID}/', { note: 'of the workspace; the files stay' }],
  ]),
  ...section('Index collections and identities', [
    ['GET POST', '/v1/index-collection/'],
    ['PUT', '/v1/index-collection/', { note: 'of the one named in the body; replaces `description`' }],
    ['GET DELETE', `${collection}/`],
    ['GET', `${collection}/identities/`],
    ['PUT', `${collection}/identities/`, { note: 'one label for two merges them, another label splits them' }],
    ['GET', `${collection}/identities/{INDEX_ID}/`],
    ['DELETE', `${collection}/identities/{INDEX_ID}/`, { note: 'of the person, with what was merged into it' }],
  ]),
  ...section('Dictionaries', [
    ['GET', '/v1/dictionaries/'],
    ['GET', '/v1/dictionaries/{DICTIONARY_ID}/'],
    ['POST', '/v1/dictionaries/'],
    [
      'DELETE',
      '/v1/datasets/{DICTIONARY_ID}/',
      { note: 'as listed; `DELETE /v1/dictionaries/{DICTIONARY_ID}/` does it too' },
    ],
  ]),
  ...section('Batches, reports', [
    ['POST', '/v1/batches/files/'],
    ['POST', '/v1/batches/{BATCH_ID}/report/'],
    ['DELETE', '/v1/batches/{BATCH_ID}/'],
    ['GET', '/v1/reports/'],
    ['GET', '/v1/reports/{REPORT_ID}/'],
    ['GET', '/v1/reports/{REPORT_ID}/items/'],
    ['DELETE', '/v1/reports/{REPORT_ID}/'],
  ]),
  ...section('Exports and artifacts', [
    ['GET', '/v1/exports/'],
    ['GET', '/v1/exports/{EXPORT_ID}/'],
    ['POST', '/v1/exports/'],
    ['GET', '/v1/exports/{EXPORT_ID}/artifacts/'],
    ['GET', '/v1/exports/{EXPORT_ID}/artifacts/{ARTIFACT_ID}/file/'],
  ]),
  ...section('Storage', [
    ['GET', '/v1/storage/'],
    ['GET', '/v1/storage/{STORAGE_ID}/'],
    ['GET', '/v1/storage/{STORAGE_ID}/file/'],
    ['GET', '/v1/storage/{STORAGE_ID}/thumbnail/'],
    ['POST', '/v1/storage/'],
    ['DELETE', '/v1/storage/{STORAGE_ID}/'],
    ['GET', '/v2/storage/'],
    ['GET', '/v2/storage/{STORAGE_ID}/'],
    ['GET', '/v2/storage/{STORAGE_ID}/file/'],
    ['GET', '/v2/storage/{STORAGE_ID}/thumbnail/'],
    ['POST', '/v2/storage/'],
    ['DELETE', '/v2/storage/{STORAGE_ID}/'],
  ]),
  ...section('Access keys', [
    ['GET', '/v1/access-keys/'],
    ['POST', '/v1/access-keys/'],
    ['GET', '/v1/access-keys/{ID}/'],
    ['PUT', '/v1/access-keys/{ID}/', { note: 'replaces `name`, `scopes` and `export_strategies`' }],
    ['PATCH', '/v1/access-keys/{ID}/', { note: 'merges `name`, `scopes` and `export_strategies`' }],
    ['DELETE', '/v1/access-keys/{ID}/'],
  ]),
  ...section('Webhooks', [
    ['GET POST', '/v1/webhooks/'],
    ['GET PUT PATCH DELETE', '/v1/webhooks/{WEBHOOK_ID}/'],
  ]),
  ...section('Transcript versions', [
    ['GET', `${versions}/`],
    ['POST', `${versions}/`, { note: '`changes` of paragraphs, or `restore_version`' }],
    ['GET DELETE', `${versions}/{VERSION}`],
  ]),
];
