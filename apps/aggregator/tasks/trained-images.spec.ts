import { randomUUID } from 'node:crypto';
import {
  DatasetClassEntity,
  DatasetEntity,
  DatasetImageEntity,
  inTransaction,
  openDatabase,
  WorkspaceEntity,
  type Database,
} from '@adit/database';
import { insertClasses, insertImages, lockClasses, moveImage, removeImage, type FaceInference } from '@adit/datasets';
import { configureLogging } from '@adit/runtime';
import { randomOf, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ClassEvaluations } from './class-evaluations.js';
import { trainedImages, type TrainedImageRow } from './trained-images.js';

const workspaceId = randomUUID();
const datasetId = randomUUID();
let own: SpecDatabase;
let database: Database;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  own = await specDatabase();
  database = await openDatabase(own.settings);
  const { manager } = database.dataSource;
  await manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
  await manager.insert(DatasetEntity, { id: datasetId, workspaceId, name: 'People', type: 'face' });
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
});

const face = (size: number, vector: ArrayLike<number> = [1, 0]) => ({
  ...{ size, sharpness: 90, yaw: 0, pitch: 0, roll: 0, female: 0.9 },
  embedding: Buffer.from(Float32Array.from(vector).buffer).toString('base64'),
});
const random = randomOf(17);
/** A view of a person: like others of the same number, but a different picture. */
function viewOf(person: number): number[] {
  const vector = Array.from({ length: 64 }, (_, at) => (at === person ? 1 : 0.25 * (random() - 0.5)));
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
/** Vectors of pictures with these bytes. */
async function look(digests: readonly string[], faces: () => object[]): Promise<void> {
  const looks = digests.map((digest) =>
    JSON.stringify({ digest, look: { network: { name: 'face-embedding', digest: 'd' }, faces: faces() } }),
  );
  await database.dataSource.query(
    `INSERT INTO dataset_looks (workspace_id, digest, analysis_digest, look)
     SELECT $1, one->>'digest', 'a', one->'look' FROM unnest($2::jsonb[]) AS one ON CONFLICT DO NOTHING`,
    [workspaceId, looks],
  );
}
/** Adds an analysed image of a person, of these bytes, to a class. */
async function grow(classId: string, digest: string, person: number): Promise<void> {
  const image = { id: randomUUID(), storageKey: digest, ownsFile: false, active: true, notes: '' };
  await insertImages(database.dataSource, { workspaceId, datasetId, classId }, [image]);
  await database.dataSource.query(`UPDATE dataset_images SET state = 'completed', digest = $2 WHERE id = $1`, [
    image.id,
    digest,
  ]);
  await look([digest], () => [face(200, viewOf(person))]);
}
/** Makes the last comparison of the class long ago. */
async function settled(classId: string): Promise<void> {
  await database.dataSource.query(
    `UPDATE dataset_classes SET time_evaluated = time_evaluated - interval '1 hour' WHERE id = $1`,
    [classId],
  );
}

/** Creates a class of so many analysed images; each of them shows a crowd, or another view of a person. */
async function classOf(label: string, count: number, person?: number, of = datasetId): Promise<string> {
  const { dataSource } = database;
  const place = { workspaceId, datasetId: of };
  const [made] = await insertClasses(dataSource, place, [{ label }]);
  const classId = made?.id ?? '';
  const images = Array.from({ length: count }, (_, at) => ({
    ...{ id: randomUUID(), storageKey: `${label}-${at}`, ownsFile: false, active: at !== 1, notes: '' },
  }));
  await insertImages(dataSource, { ...place, classId }, images);
  await dataSource.query(`UPDATE dataset_images SET state = 'completed', digest = storage_key WHERE class_id = $1`, [
    classId,
  ]);
  await look(
    images.map(({ storageKey }) => storageKey),
    () => (person === undefined ? [200, 90, 80, 70].map((size) => face(size)) : [face(200, viewOf(person))]),
  );
  return classId;
}

describe('the images of classes', () => {
  it('are read in pages, however they are spread, each once and in order', async () => {
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
    const read: { id: string; images: TrainedImageRow[] }[] = [];
    let open: typeof read = [];
    let asked = 0;
    for await (const page of trainedImages(manager, {
      datasetId,
      type: 'face',
      timeCreated: new Date(Date.now() + 1000),
    })) {
      // The classes are read, and a page for each that was taken: nothing is read ahead.
      expect(statements).toHaveLength((asked += 1) + 1);
      if (page.opened.length > 0) read.push(...(open = page.opened.map(({ id }) => ({ id, images: [] }))));
      for (const image of page.images) open[image.of]!.images.push(image);
    }
    expect(read.map(({ id, images }) => [id, images.length])).toEqual(
      counts.map((count, at) => [ids[at], count > 1 ? count - 1 : count]),
    );
    for (const [at, { images }] of read.entries()) {
      const active = Array.from({ length: counts[at] ?? 0 }, (_, n) => n).filter((n) => n !== 1);
      expect(images.map(({ digest }) => digest)).toEqual(active.map((n) => `class ${at}-${n}`));
    }
    // The vectors are of the people who may be meant, not of the crowd behind them.
    const inference = read[0]?.images[0]?.inference as FaceInference;
    expect(inference.faces.map(({ size }) => size)).toEqual([200, 90]);
    expect(Math.max(...statements.map(Number))).toBeLessThanOrEqual(1_000);
  });

  it('are those that existed when the training was posted, of existing classes, active and not expired', async () => {
    const { manager } = database.dataSource;
    const ofTraining = randomUUID();
    await manager.insert(DatasetEntity, { id: ofTraining, workspaceId, name: 'Posted', type: 'face' });
    const timeCreated = new Date(Date.now() + 60_000);
    const trained = async () => {
      const read: [label: string, digests: (string | null)[]][] = [];
      let open: typeof read = [];
      for await (const page of trainedImages(manager, { datasetId: ofTraining, type: 'face', timeCreated })) {
        if (page.opened.length > 0) read.push(...(open = page.opened.map(({ label }) => [label, []])));
        for (const { of, digest } of page.images) open[of]![1].push(digest);
      }
      return read;
    };
    const came = (digest: string, milliseconds: number) =>
      manager.query(`UPDATE dataset_images SET time_created = $2 WHERE digest = $1`, [
        digest,
        new Date(timeCreated.getTime() + milliseconds),
      ]);
    for (const label of ['posted', 'later', 'inactive', 'expired', 'deleted']) await classOf(label, 4, 0, ofTraining);
    await came('posted-2', 0);
    await came('posted-3', 1);
    for (const at of [0, 2, 3]) await came(`later-${at}`, 1 + at);
    const set = (label: string, what: string) =>
      manager.query(`UPDATE dataset_classes SET ${what} WHERE dataset_id = $1 AND label = $2`, [ofTraining, label]);
    await set('inactive', 'active = false');
    await set('expired', 'expiration_date = now()');
    await set('deleted', 'time_deleted = now()');
    expect(await trained()).toEqual([
      ['posted', ['posted-0', 'posted-2']],
      ['later', []],
    ]);
    await manager.query('UPDATE datasets SET time_deleted = now() WHERE id = $1', [ofTraining]);
    expect(await trained()).toEqual([]);
  });

  it('are read once or not at all when they move between classes meanwhile', async () => {
    const { dataSource } = database;
    const moving = randomUUID();
    await dataSource.manager.insert(DatasetEntity, { id: moving, workspaceId, name: 'Moving', type: 'face' });
    const [first, last] = [await classOf('first', 3, 0, moving), await classOf('last', 3, 1, moving)];
    // As many as are read without those of the next class.
    await dataSource.query('UPDATE dataset_classes SET images = 1000 WHERE id = $1', [first]);
    const move = (digest: string, from: string, to: string) =>
      inTransaction(dataSource, async (manager) => {
        await lockClasses(manager, { workspaceId, datasetId: moving, classId: from }, to);
        await moveImage(manager, await manager.findOneByOrFail(DatasetImageEntity, { classId: from, digest }), to);
      });
    const training = { datasetId: moving, type: 'face', timeCreated: new Date(Date.now() + 60_000) } as const;
    const read: (string | null)[] = [];
    for await (const { images } of trainedImages(dataSource.manager, training)) {
      if (read.length === 0) {
        await move('first-2', first, last);
        await move('last-2', last, first);
      }
      read.push(...images.map(({ digest }) => digest));
    }
    expect(read).toEqual(['first-0', 'first-2', 'last-0']);
  });

  it('are compared in a class with more of them than a page', async () => {
    const evaluations = new ClassEvaluations(database.dataSource);
    await evaluations.idle();
    const before = evaluations.compared;
    const id = await classOf('many', 520);
    await evaluations.idle();
    await evaluations.onApplicationShutdown();
    // The bytes differ, the faces do not: each but the first is compared with the first alone.
    expect(evaluations.compared - before).toBe(519);
    expect(await database.dataSource.manager.findOneByOrFail(DatasetClassEntity, { id })).toMatchObject({
      // Only the first shows anything new.
      ...{ state: 'completed', images: 520, evaluatedImages: 520, faultyImages: 519, gender: 'female' },
    });
  });

  it('added one by one are compared with those before, and with nothing else', async () => {
    const { dataSource } = database;
    const { manager } = dataSource;
    const evaluations = new ClassEvaluations(dataSource);
    const read = jest.spyOn(manager, 'query');
    const classId = await classOf('growing', 300, 1);
    /** Counts comparisons and reads of analyses since the last call. */
    const cost = async (): Promise<number[]> => {
      const before = evaluations.compared;
      read.mockClear();
      await settled(classId);
      await evaluations.idle();
      const pages = await Promise.all(
        read.mock.calls.flatMap(([sql], at) =>
          sql.includes('l.look AS inference') ? [read.mock.results[at]!.value] : [],
        ),
      );
      return [evaluations.compared - before, pages.flat().length];
    };
    expect(await cost()).toEqual([(300 * 299) / 2, 300]);
    await grow(classId, 'another', 2);
    expect(await cost()).toEqual([300, 1]);
    await grow(classId, 'growing-7', 1);
    // The image has the same bytes as one of them.
    expect(await cost()).toEqual([0, 1]);
    const clusters = async (): Promise<string[]> => {
      const rows = await dataSource.query('SELECT clustering FROM dataset_images WHERE class_id = $1 ORDER BY seq', [
        classId,
      ]);
      return rows.map(({ clustering }: { clustering: string }) => clustering);
    };
    expect((await clusters()).slice(-3)).toEqual(['match', 'outlier', 'duplicate']);
    // A removed image leaves every result to be computed anew.
    const [gone] = await dataSource.query('SELECT id FROM dataset_images WHERE class_id = $1 ORDER BY seq LIMIT 1', [
      classId,
    ]);
    await removeImage(manager, { id: gone.id, classId });
    expect(await cost()).toEqual([(300 * 299) / 2, 301]);
    expect((await clusters()).slice(-3)).toEqual(['match', 'outlier', 'duplicate']);
    read.mockRestore();
    await evaluations.onApplicationShutdown();
  });

  it('are not compared for a while after a comparison, the longer the more there are', async () => {
    const classId = await classOf('busy', 2);
    const { dataSource } = database;
    const evaluations = new ClassEvaluations(dataSource);
    const stateAfter = async (seconds: number): Promise<string> => {
      await dataSource.query(
        `UPDATE dataset_classes SET state = 'waiting', attempts = 0, images = 3000000,
                time_evaluated = now() - make_interval(secs => $2) WHERE id = $1`,
        [classId, seconds],
      );
      await evaluations.idle();
      return (await dataSource.manager.findOneByOrFail(DatasetClassEntity, { id: classId })).state;
    };
    expect([await stateAfter(0), await stateAfter(4000)]).toEqual(['waiting', 'completed']);
    await evaluations.onApplicationShutdown();
  });
});
