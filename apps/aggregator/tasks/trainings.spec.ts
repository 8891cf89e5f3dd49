/** @needs build */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeDirection } from '@adit/analyses/image-embedding/vector-code';
import { digestOf, type DatasetType, type TrainingReport } from '@adit/contracts';
import { DatasetEntity, openDatabase, TrainingEntity, WorkspaceEntity, type Database } from '@adit/database';
import { insertClasses, insertImages, INFERENCE_NETWORKS } from '@adit/datasets';
import { ModelStore } from '@adit/model-store';
import { FilesystemObjectStore } from '@adit/objects';
import { configureLogging } from '@adit/runtime';
import { randomOf, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { askedFor, raised } from '../testing/raised-events.js';
import { Trainings } from './trainings.js';

const MEBIBYTE = 2 ** 20;
const workspaceId = randomUUID();
let own: SpecDatabase;
let database: Database;
let folder: string;
let store: ModelStore;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  own = await specDatabase();
  database = await openDatabase(own.settings);
  folder = await mkdtemp(join(tmpdir(), 'adit-trainings-'));
  store = new ModelStore(database.dataSource, await FilesystemObjectStore.open(folder));
  await database.dataSource.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
  await askedFor(database.dataSource.manager, workspaceId, 'svc.training.on_completed', 'svc.training.on_failed');
});
beforeEach(() => database.dataSource.query('DELETE FROM outbox'));
afterAll(async () => {
  await database?.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
});

let ids = 0;
/** Pseudo-random numbers, the same in every run. */
const nextId = (): string => `00000000-0000-4000-8000-${String((ids += 1)).padStart(12, '0')}`;

interface Shown {
  vector: number[];
  /** Bytes of the file; null: unique to this picture. */
  digest?: string;
  /** Deviation of its face. */
  face?: object;
}

function seenAs(type: DatasetType, { vector, face }: Shown): object {
  const network = { name: INFERENCE_NETWORKS[type], digest: 'e'.repeat(64) };
  if (type === 'landmark') return { network, embedding: encodeDirection(vector) };
  const length = Math.hypot(...vector);
  const embedding = Buffer.from(Float32Array.from(vector, (value) => value / length).buffer).toString('base64');
  const plain = { size: 200, sharpness: 90, yaw: 0, pitch: 0, roll: 0, female: 0.5, embedding, ...face };
  return { network, faces: [plain, { ...plain, size: 20 }, { ...plain, size: 10 }] };
}

/** Creates a dataset of analysed images; a picture that could not be read is null. */
async function datasetOf(type: DatasetType, classes: (Shown | null)[][]): Promise<string> {
  const { dataSource } = database;
  const datasetId = nextId();
  const place = { workspaceId, datasetId };
  await dataSource.manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'Set', type });
  for (const [at, shown] of classes.entries()) {
    const fields = type === 'landmark' ? [{ latitude: `${at}`, longitude: '8.5' }] : [];
    const [made] = await insertClasses(dataSource, place, [
      { id: nextId(), label: `class ${at}`, custom_fields: fields },
    ]);
    const images = shown
      .map(() => nextId())
      .map((id) => ({ id, storageKey: id, ownsFile: false, active: true, notes: '' }));
    await insertImages(dataSource, { ...place, classId: made!.id }, images);
    for (const [place, one] of shown.entries()) {
      const id = images[place]!.id;
      const digest = one?.digest ?? id;
      const state = one === null ? 'failed' : 'completed';
      await dataSource.query('UPDATE dataset_images SET state = $2, digest = $3 WHERE id = $1', [id, state, digest]);
      if (one === null) continue;
      await dataSource.query(
        `INSERT INTO dataset_looks (workspace_id, digest, analysis_digest, look) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING`,
        [workspaceId, digest, type, JSON.stringify(seenAs(type, one))],
      );
    }
  }
  return datasetId;
}

async function trained(type: DatasetType, datasetId: string, memoryBytes = 512 * MEBIBYTE): Promise<TrainingEntity> {
  const { manager } = database.dataSource;
  const id = randomUUID();
  const row = { id, workspaceId, datasetId, type, dataset: {}, modelName: `model-${datasetId.slice(-4)}`, config: {} };
  await manager.insert(TrainingEntity, row as Partial<TrainingEntity>);
  const trainings = new Trainings(database.dataSource, store, { trainingMemoryBytes: memoryBytes });
  await trainings.idle();
  await trainings.onApplicationShutdown();
  return manager.findOneByOrFail(TrainingEntity, { id });
}

async function filesOf({ modelId }: TrainingEntity): Promise<Record<string, string>> {
  const version = (await store.versions()).find((each) => each.modelId === modelId);
  return Object.fromEntries(version!.files.map(({ name, sha256 }) => [name, sha256.slice(0, 16)]));
}

const random = randomOf(41);
const direction = (dimensions: number): number[] => Array.from({ length: dimensions }, () => random() - 0.5);
const near = (vector: number[], noise: number): number[] => vector.map((value) => value + noise * (random() - 0.5));

/** Twelve people with six photos each, and defects of photos. */
function people(): (Shown | null)[][] {
  const persons = Array.from({ length: 12 }, () => direction(96));
  return persons.map((person, at) => {
    const photos: (Shown | null)[] = Array.from({ length: 6 }, () => ({ vector: near(person, 0.7) }));
    const other = persons[(at + 5) % 12]!;
    if (at % 3 === 0) photos.splice(2, 0, { vector: near(other, 0.7) }, null);
    if (at % 4 === 1)
      photos.push({ vector: near(person, 0.7), face: { size: 40 } }, { ...photos[0]!, digest: `d${at}` });
    if (at % 4 === 1) photos.push({ ...photos[0]!, digest: `d${at}` });
    if (at % 5 === 2) photos.push({ vector: direction(96) }, { vector: near(person, 0.7), face: { embedding: null } });
    if (at === 7) return photos.slice(0, 1);
    return photos;
  });
}

/** Five landmarks; one has one image, and a picture that shows nothing is all zeros. */
function places(): (Shown | null)[][] {
  const landmarks = Array.from({ length: 5 }, () => direction(64));
  return landmarks.map((landmark, at) => {
    const views: (Shown | null)[] = Array.from({ length: at === 3 ? 1 : 7 }, () => ({ vector: near(landmark, 1.2) }));
    if (at === 0) views.unshift({ vector: new Array<number>(64).fill(0) }, null);
    if (at === 1)
      views.push(
        { vector: near(landmarks[2]!, 0.4) },
        { ...views[0]!, digest: 'same' },
        { ...views[0]!, digest: 'same' },
      );
    return views;
  });
}

describe('trainings', () => {
  it('give the same model of faces, to the bit, as in one process', async () => {
    const training = await trained('face', await datasetOf('face', people()));
    expect([training.state, training.errorMsg]).toEqual(['completed', null]);
    const report = training.report as TrainingReport;
    expect(report).toMatchObject({ number_of_classes: 12 });
    expect({ ...(await filesOf(training)), report: digestOf(report).slice(0, 16) }).toEqual(GOLDEN.face);
  });

  it('give the same model of landmarks', async () => {
    const training = await trained('landmark', await datasetOf('landmark', places()));
    expect([training.state, training.errorMsg]).toEqual(['completed', null]);
    expect({ ...(await filesOf(training)), report: digestOf(training.report!).slice(0, 16) }).toEqual(GOLDEN.landmark);
    const [told, ...more] = await raised(database.dataSource.manager);
    expect([told!.event, told!.workspaceId, more]).toEqual(['svc.training.on_completed', workspaceId, []]);
    expect(told!.data['training']).toMatchObject({
      ...{ id: training.id, state: 'completed', error: '', progress: 1 },
      ...{ output_model_id: training.modelId, output_model_version: training.modelVersion },
    });
  });

  it('fail when no image can be used', async () => {
    const training = await trained('face', await datasetOf('face', [[null], []]));
    expect([training.state, training.errorMsg]).toEqual([
      'failed',
      'No active image of the dataset shows a face that can be used.',
    ]);
    const [told, ...more] = await raised(database.dataSource.manager);
    expect([told!.event, more]).toEqual(['svc.training.on_failed', []]);
    expect(told!.data['training']).toMatchObject({
      ...{ id: training.id, state: 'failed', error: training.errorMsg, output_model_id: null },
    });
  });

  it('of more than their memory do not begin, and name the size', async () => {
    const { state, errorMsg, attempts } = await trained('face', await datasetOf('face', people()), 192 * MEBIBYTE);
    expect([state, attempts]).toEqual(['failed', 1]);
    expect(errorMsg).toMatch(
      /^A training of \d+ images of 12 classes takes 193 MiB of memory, and may take 192 MiB \(ADIT_TRAINING_MEMORY_BYTES\)\./,
    );
  });

  (process.platform === 'linux' ? it : it.skip)('leave no process behind', async () => {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
    const names = await Promise.all(
      children
        .split(' ')
        .filter(Boolean)
        .map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
    );
    expect(names.filter((name) => name.includes('training-program'))).toEqual([]);
  });
});

/** First digits of SHA-256, as the build before computed them within the aggregator. */
const GOLDEN = {
  face: {
    'embeddings.bin': 'e7e47bf4d8f1eec8',
    'gallery.json': 'b4492f4a455812d4',
    'model.onnx': '0e62c36ab3478dbe',
    report: '2c200ffbd1352995',
  },
  landmark: {
    'embeddings.bin': 'c95e7dbf82250f67',
    'gallery.json': '61ee4514f49c47de',
    'model.onnx': 'b72e31dbf53c86c5',
    report: 'beb8b9763f3975c2',
  },
};
