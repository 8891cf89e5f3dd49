/** @needs build */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dataset } from '@adit/contracts';
import {
  columns,
  DatasetEntity,
  ModelEntity,
  ModelVersionEntity,
  ObjectRemovalEntity,
  openDatabase,
  TrainingEntity,
  WorkspaceEntity,
  type Database,
} from '@adit/database';
import { insertClasses, insertImages } from '@adit/datasets';
import { ModelStore } from '@adit/model-store';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { configureLogging } from '@adit/runtime';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { Trainings } from './trainings.js';

const workspaceId = randomUUID();
const datasetId = randomUUID();
let folder: string;
let own: SpecDatabase;
let database: Database;
let manager: EntityManager;
let objects: ObjectStore;
let trainings: Trainings;
/** Event while the files of a version are being stored. */
let meanwhile: (() => Promise<unknown>) | null = null;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  folder = await mkdtemp(join(tmpdir(), 'adit-trainings-'));
  own = await specDatabase();
  database = await openDatabase(own.settings);
  ({ manager } = database.dataSource);
  const store = await FilesystemObjectStore.open(folder);
  objects = Object.assign(Object.create(store) as ObjectStore, {
    put: async (...args: Parameters<ObjectStore['put']>) => {
      const stored = await store.put(...args);
      const happens = meanwhile;
      meanwhile = null;
      await happens?.();
      return stored;
    },
  });
  trainings = new Trainings(database.dataSource, new ModelStore(database.dataSource, objects), {
    trainingMemoryBytes: 256 << 20,
  });
  await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
  await manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'People', type: 'face' });
  await person('Ada', 0);
  await person('Grace', 4);
});
afterAll(async () => {
  await trainings?.onApplicationShutdown();
  await database?.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(async () => {
  for (const table of ['trainings', 'model_versions', 'models']) await manager.query(`DELETE FROM ${table}`);
});

/** A class of three analysed pictures, in a direction of its own. */
async function person(label: string, direction: number): Promise<void> {
  const { dataSource } = database;
  const [made] = await insertClasses(dataSource, { workspaceId, datasetId }, [{ label }]);
  const classId = made?.id ?? '';
  const images = Array.from({ length: 3 }, (_, at) => ({
    ...{ id: randomUUID(), storageKey: `${label}-${at}`, ownsFile: false, active: true, notes: '' },
  }));
  await insertImages(dataSource, { workspaceId, datasetId, classId }, images);
  for (const [at, { id, storageKey }] of images.entries()) {
    const values = Array.from(
      { length: 8 },
      (_, place) => Number(place === direction) + 0.1 * Number(place === at + 1),
    );
    const length = Math.hypot(...values);
    const face = {
      ...{ size: 200, sharpness: 90, yaw: 0, pitch: 0, roll: 0, female: 0.9 },
      embedding: Buffer.from(new Float32Array(values.map((value) => value / length)).buffer).toString('base64'),
    };
    const look = { network: { name: 'face-embedding', digest: 'd'.repeat(64) }, faces: [face] };
    await manager.query(`UPDATE dataset_images SET state = 'completed', digest = $2 WHERE id = $1`, [id, storageKey]);
    await manager.query(
      `INSERT INTO dataset_looks (workspace_id, digest, analysis_digest, look) VALUES ($1, $2, 'a', $3)`,
      [workspaceId, storageKey, JSON.stringify(look)],
    );
  }
}

async function newTraining(): Promise<string> {
  const id = randomUUID();
  const row = { id, workspaceId, datasetId, type: 'face' as const, modelName: 'people', config: {} };
  // Only clients read the sources of a version.
  await manager.insert(TrainingEntity, columns<TrainingEntity>({ ...row, dataset: {} as Dataset }));
  return id;
}

/** Rows and objects of a version. */
async function left() {
  const files: string[] = [];
  for await (const { key } of objects.list('models/')) files.push(key);
  return {
    models: await manager.countBy(ModelEntity, { workspaceId }),
    versions: await manager.countBy(ModelVersionEntity, {}),
    removals: await manager.countBy(ObjectRemovalEntity, {}),
    files: files.length,
  };
}

describe('a training', () => {
  it('publishes nothing when it is deleted while its files are stored', async () => {
    const id = await newTraining();
    meanwhile = () => manager.delete(TrainingEntity, { id });
    await trainings.idle();
    expect(await left()).toEqual({ models: 0, versions: 0, removals: 0, files: 0 });
  });

  it('publishes nothing when another process has taken it over by then, which does', async () => {
    const id = await newTraining();
    meanwhile = () =>
      manager.query(`UPDATE trainings SET attempts = 2, lease_until = now() + interval '1 hour' WHERE id = $1`, [id]);
    await trainings.idle();
    expect(await left()).toEqual({ models: 0, versions: 0, removals: 0, files: 0 });
    expect(await manager.findOneByOrFail(TrainingEntity, { id })).toMatchObject({ state: 'processing', attempts: 2 });
    await manager.query(`UPDATE trainings SET lease_until = now() WHERE id = $1`, [id]);
    await trainings.idle();
    const done = await manager.findOneByOrFail(TrainingEntity, { id });
    expect(done).toMatchObject({ state: 'completed', attempts: 3, modelVersion: 1 });
  });

  it('is completed with its version, or neither exists', async () => {
    const id = await newTraining();
    await trainings.idle();
    const done = await manager.findOneByOrFail(TrainingEntity, { id });
    expect(done).toMatchObject({ state: 'completed', progress: 1, errorMsg: null, modelVersion: 1 });
    expect(done.report).toMatchObject({ number_of_classes: 2, number_of_images: 6 });
    const versions = await manager.findBy(ModelVersionEntity, { modelId: done.modelId ?? '' });
    expect(versions.map(({ versionNumber }) => versionNumber)).toEqual([1]);
    expect(await left()).toMatchObject({ models: 1, versions: 1, removals: 0 });
  });
});
