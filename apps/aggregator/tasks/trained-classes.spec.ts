import { randomUUID } from 'node:crypto';
import { DatasetClassEntity, DatasetEntity, openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import { insertClasses, insertImages } from '@adit/datasets';
import { configureLogging } from '@adit/runtime';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ClassEvaluations } from './class-evaluations.js';
import { trainedClasses } from './trained-classes.js';

const workspaceId = randomUUID();
let datasetId: string;
let own: SpecDatabase;
let database: Database;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  own = await specDatabase();
  database = await openDatabase(own.settings);
  const { manager } = database.dataSource;
  await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
});
beforeEach(async () => {
  datasetId = randomUUID();
  const { manager } = database.dataSource;
  await manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'People', type: 'face' });
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
});

const face = (size: number) => ({
  ...{ size, sharpness: 90, yaw: 0, pitch: 0, roll: 0, female: 0.9 },
  embedding: Buffer.from(new Float32Array([1, 0]).buffer).toString('base64'),
});

/** A class of so many images that were looked at; each of them shows a crowd. */
async function classOf(label: string, count: number): Promise<string> {
  const { dataSource } = database;
  const place = { workspaceId, datasetId };
  const [made] = await insertClasses(dataSource, place, [{ label }]);
  const classId = made?.id ?? '';
  const images = Array.from({ length: count }, (_, at) => ({
    ...{ id: randomUUID(), storageKey: `${label}-${at}`, ownsFile: false, active: at !== 1, notes: '' },
  }));
  await insertImages(dataSource, { ...place, classId }, images);
  const look = { network: { name: 'face-embedding', digest: 'd' }, faces: [200, 90, 80, 70].map(face) };
  await dataSource.query(
    `WITH seen AS (UPDATE dataset_images SET state = 'completed', digest = storage_key WHERE class_id = $1 RETURNING digest)
     INSERT INTO dataset_looks (workspace_id, digest, analysis_digest, look) SELECT $2, digest, 'a', $3 FROM seen`,
    [classId, workspaceId, JSON.stringify(look)],
  );
  return classId;
}

describe('the images of classes', () => {
  it('are read in pages, however they are spread, each once and in its order', async () => {
    const counts = [3, 1_040, 1, 0, 40, 20];
    const ids: string[] = [];
    for (const [at, count] of counts.entries()) ids.push(await classOf(`class ${at}`, count));
    const { dataSource } = database;
    const statements: unknown[] = [];
    const manager = Object.create(dataSource.manager, {
      query: {
        value: async (sql: string, parameters: unknown[]) => {
          const rows: unknown[] = await dataSource.query(sql, parameters);
          statements.push(rows.length);
          return rows;
        },
      },
    });
    const read = await trainedClasses(manager, { datasetId, type: 'face', timeCreated: new Date(Date.now() + 1000) });
    expect(read.map(({ id, images }) => [id, images.length])).toEqual(
      counts.map((count, at) => [ids[at], count > 1 ? count - 1 : count]),
    );
    for (const [at, { images }] of read.entries()) {
      const active = Array.from({ length: counts[at] ?? 0 }, (_, n) => n).filter((n) => n !== 1);
      expect(images.map(({ digest }) => digest)).toEqual(active.map((n) => `class ${at}-${n}`));
    }
    // Whom it means, and who else may be meant, not the crowd behind them.
    expect(read[0]?.images[0]?.look).toMatchObject({ faces: [{ size: 200 }, { size: 90 }] });
    expect(Math.max(...statements.map(Number))).toBeLessThanOrEqual(1_000);
  });

  it('are those that were there when the training was posted, of classes that are there, active and not expired', async () => {
    const { manager } = database.dataSource;
    const timeCreated = new Date(Date.now() + 60_000);
    const trained = async () => {
      const read = await trainedClasses(manager, { datasetId, type: 'face', timeCreated });
      return read.map(({ label, images }) => [label, images.map(({ digest }) => digest)]);
    };
    const came = (digest: string, milliseconds: number) =>
      manager.query(`UPDATE dataset_images SET time_created = $2 WHERE digest = $1`, [
        digest,
        new Date(timeCreated.getTime() + milliseconds),
      ]);
    for (const label of ['posted', 'later', 'inactive', 'expired', 'deleted']) await classOf(label, 4);
    await came('posted-2', 0);
    await came('posted-3', 1);
    for (const at of [0, 2, 3]) await came(`later-${at}`, 1 + at);
    const set = (label: string, what: string) =>
      manager.query(`UPDATE dataset_classes SET ${what} WHERE dataset_id = $1 AND label = $2`, [datasetId, label]);
    await set('inactive', 'active = false');
    await set('expired', 'expiration_date = now()');
    await set('deleted', 'time_deleted = now()');
    expect(await trained()).toEqual([
      ['posted', ['posted-0', 'posted-2']],
      ['later', []],
    ]);
    await manager.query('UPDATE datasets SET time_deleted = now() WHERE id = $1', [datasetId]);
    expect(await trained()).toEqual([]);
  });

  it('are compared, of a class with more of them than a page', async () => {
    const id = await classOf('many', 520);
    const evaluations = new ClassEvaluations(database.dataSource);
    await evaluations.idle();
    await evaluations.onApplicationShutdown();
    expect(await database.dataSource.manager.findOneByOrFail(DatasetClassEntity, { id })).toMatchObject({
      // All but the first show nothing new.
      ...{ state: 'completed', images: 520, evaluatedImages: 520, faultyImages: 519, gender: 'female' },
    });
  });
});
