import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError } from '@adit/contracts';
import { AditApiError, type DatasetImport, type DatasetImportError } from '@adit/client';
import { findDataset, type DatasetOptions } from './datasets.js';
import { packFolder } from './folder-archive.js';
import { onEngine, printJson, untilEnded, type EngineWork } from '../../engine/engine-work.js';
import { printable } from '../../output/text-table.js';
import { uploadFile } from '../../engine/upload-file.js';

/** Files that could not be imported, of those that are named. */
const MAX_NAMED = 20;
const STORED = /^storage:\/\//;

/** Imports a folder of photos, an archive or a list into a dataset, and says what could not be taken. */
export async function importInto(given: string, source: string, options: DatasetOptions): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'adit-import-'));
  try {
    const file = STORED.test(source) ? null : await fileOf(source, scratch);
    await onEngine(options, async (at) => {
      const { id: datasetId } = await findDataset(at.client, given);
      const done =
        file === null ? await imported(datasetId, source, at) : await uploadedAndImported(datasetId, file, at);
      const errors = await errorsOf(done, at, options.json ? Infinity : MAX_NAMED);
      if (options.json) printJson({ ...done, errors });
      else report(done, errors);
      if (done.state === 'failed') process.exitCode = 1;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The file that is uploaded: what was given, or a zip of its folders. Throws VALIDATION, naming what is wrong with it. */
async function fileOf(source: string, scratch: string): Promise<string> {
  const found = await stat(source).catch(() => {
    throw new AditError('VALIDATION', `There is no file or folder ${source}.`);
  });
  if (!found.isDirectory()) return source;
  const archive = join(scratch, 'photos.zip');
  await packFolder(source, archive);
  return archive;
}

/**
 * Uploads and imports a file. The upload is removed afterwards, unless the import may still read it: the dataset has
 * its own copy.
 */
async function uploadedAndImported(datasetId: string, file: string, at: EngineWork): Promise<DatasetImport> {
  const folder = `/imports/${new Date().toISOString().replace(/[:.]/g, '-')}-${randomBytes(3).toString('hex')}`;
  const uploaded = await uploadFile(at.client, file, { folder, live: at.live, signal: at.signal });
  const reading = { isPossible: false };
  try {
    return await imported(datasetId, uploaded.url, at, reading);
  } finally {
    if (!reading.isPossible) await at.client.storage.delete(uploaded.id);
    else process.stderr.write(`The import may go on: what was uploaded for it stays in ${folder} of the storage.\n`);
  }
}

/** `reading` says whether the import may be at work, also when an answer is missing. */
async function imported(
  datasetId: string,
  uri: string,
  at: EngineWork,
  reading = { isPossible: false },
): Promise<DatasetImport> {
  const { client, signal } = at;
  reading.isPossible = true;
  const { id: importId } = await client
    .request('POST /v1/datasets/{datasetId}/imports/', {
      params: { datasetId },
      body: { file_uri: uri },
      idempotencyKey: randomUUID(),
    })
    .catch((error: unknown) => {
      if (error instanceof AditApiError && error.status < 500 && !error.isInProgress) reading.isPossible = false;
      throw error;
    });
  const params = { datasetId, importId };
  const ask = () => client.request('GET /v1/datasets/{datasetId}/imports/{importId}/', { params });
  try {
    const done = await untilEnded('Importing', ask, at);
    reading.isPossible = false;
    return done;
  } catch (error) {
    if (signal.aborted) {
      await client.request('DELETE /v1/datasets/{datasetId}/imports/{importId}/', { params });
      reading.isPossible = false;
      process.stderr.write('Stopped; what was imported so far stays.\n');
    }
    throw error;
  }
}

async function errorsOf(
  { id: importId, dataset_id: datasetId }: DatasetImport,
  { client }: EngineWork,
  most: number,
): Promise<DatasetImportError[]> {
  const errors: DatasetImportError[] = [];
  const list = client.items('GET /v1/datasets/{datasetId}/imports/{importId}/errors/', {
    params: { datasetId, importId },
  });
  for await (const error of list) {
    if (errors.length >= most) break;
    errors.push(error);
  }
  return errors;
}

function report(done: DatasetImport, errors: readonly DatasetImportError[]): void {
  for (const { file, message } of errors) process.stderr.write(`! ${printable(`${file}: ${message}`)}\n`);
  const more = done.number_of_errors - errors.length;
  if (more > 0) process.stderr.write(`… and ${more} more\n`);
  if (done.error_msg !== null) process.stderr.write(`✗ ${printable(done.error_msg)}\n`);
  const { number_of_images: images, number_of_files: files, number_of_classes: classes } = done;
  process.stdout.write(`${images} of ${files} images imported, ${classes} new classes\n`);
}
