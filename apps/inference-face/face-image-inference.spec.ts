/** @needs ffmpeg, weights */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analysesFolder } from '@adit/analyses';
import type { Dataset } from '@adit/contracts';
import { DatasetEntity, openDatabase, StorageEntryEntity, type Database } from '@adit/database';
import {
  changeImage,
  ClassThread,
  evaluateClass,
  insertClasses,
  insertImages,
  lockClass,
  readDatasets,
  type FaceInference,
} from '@adit/datasets';
import { AnalysisRegistry, AnalysisRunner, ModelRepository, SessionPool } from '@adit/inference';
import { ImageInferenceLoop } from '@adit/inference-service';
import { DATASET_CLASSES, DueWork, TaskLoop, type ClaimedTask } from '@adit/leases';
import { modelsRoot } from '@adit/models';
import { FilesystemObjectStore } from '@adit/objects';
import { storageObjectKey } from '@adit/storage';
import { sampleMedia, specDatabase, transcode, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { DataSource } from 'typeorm';
import { FACE_INFERENCE } from './face-image-inference.js';

/** Simulates the aggregator's processing. */
class Evaluations extends TaskLoop {
  protected run(task: ClaimedTask): Promise<void> {
    return evaluateClass(this.db, task, thread);
  }
}

const workspaceId = randomUUID();
const media = sampleMedia();
const thread = new ClassThread();
let settings: SpecDatabase;
let database: Database;
let db: DataSource;
let objects: FilesystemObjectStore;
let folder: string;
let pool: SessionPool;
let repository: ModelRepository;
let loop: ImageInferenceLoop<FaceInference>;
let classes: Evaluations;

beforeAll(async () => {
  settings = await specDatabase();
  database = await openDatabase(settings.settings);
  db = database.dataSource;
  folder = await mkdtemp(join(tmpdir(), 'adit-inferences-'));
  objects = await FilesystemObjectStore.open(folder);
  repository = await ModelRepository.open({ roots: [modelsRoot()] });
  pool = new SessionPool({ onnx: { providers: ['cpu'] } });
  const analyses = await AnalysisRegistry.scan(analysesFolder);
  loop = new ImageInferenceLoop(db, objects, analyses, new AnalysisRunner(repository, pool), FACE_INFERENCE);
  classes = new Evaluations(db, DATASET_CLASSES);
}, 600_000);
afterAll(async () => {
  await loop.onApplicationShutdown();
  await classes.onApplicationShutdown();
  await thread.close();
  await pool.close();
  await repository.close();
  await database.close();
  await settings.drop();
  await rm(folder, { recursive: true, force: true });
});

async function stored(path: string | Buffer): Promise<string> {
  const key = randomUUID().slice(0, 20);
  const bytes = typeof path === 'string' ? await readFile(path) : path;
  await objects.put(storageObjectKey(workspaceId, key), bytes);
  const size = String(bytes.length);
  const row = { workspaceId, folder: '/', name: key, isFolder: false, key, uploaded: true, size };
  await db.manager.insert(StorageEntryEntity, row);
  return key;
}

async function evaluated(): Promise<void> {
  await loop.idle();
  await classes.idle();
}

const image = (storageKey: string) => ({ id: randomUUID(), storageKey, ownsFile: false, active: true, notes: '' });

async function dataset(): Promise<{ datasetId: string; read: () => Promise<Dataset> }> {
  const id = randomUUID();
  await db.manager.insert(DatasetEntity, { id, workspaceId, name: 'People', type: 'face' });
  return { datasetId: id, read: async () => (await readDatasets(db.manager, workspaceId, [id]))[0]! };
}

describe('images of a dataset', () => {
  it('are analysed and compared with each other', async () => {
    const { datasetId, read } = await dataset();
    const [made] = await insertClasses(db, { workspaceId, datasetId }, [{ label: 'Franck' }]);
    const place = { workspaceId, datasetId, classId: made!.id };
    const { franck_02221, franck_02888, franck_04000, audrey } = media.faces as Record<string, string>;
    const sources = [franck_02221!, franck_02888!, franck_04000!, audrey!, franck_02221!, media.groups['sample1']!];
    const keys = await Promise.all([...sources, Buffer.from('no picture')].map(stored));
    await insertImages(db, place, keys.map(image));
    expect((await read()).evaluation_state).toBe(0);
    await evaluated();
    const rows = await db.query(
      'SELECT clustering, state, evaluation_result AS result, digest FROM dataset_images WHERE dataset_id = $1 ORDER BY seq',
      [datasetId],
    );
    expect(rows.map(({ clustering }: { clustering: string }) => clustering)).toEqual([
      ...['match', 'match', 'match', 'outlier', 'duplicate', 'several_faces', 'unreadable'],
    ]);
    expect(rows[3].result.face_attributes).toMatchObject({
      ...{ emotion: 'neutral', smile: false, beard: null, yaw: expect.any(Number), eyesopen: true, mouthopen: false },
    });
    // The largest face of the group is laughing.
    expect(rows[5].result.face_attributes).toMatchObject({
      emotion: 'happy',
      smile: true,
      eyesopen: true,
      mouthopen: true,
    });
    expect(rows[4].digest).toBe(rows[0].digest);
    const found = await read();
    expect(found).toMatchObject({
      ...{ evaluation_state: 1, evaluation_result: { gender_statistics: { male: 1 } } },
      issues: { has_error: false, has_warning: true },
    });
    expect(found.issues.reasons.map(({ code }) => code).sort()).toEqual([
      ...['duplicate', 'outlier', 'several_faces', 'unreadable'],
    ]);
    const [row] = await db.query('SELECT evaluation_result AS result FROM dataset_classes WHERE id = $1', [made!.id]);
    const { head_pose: pose } = row.result.attribute_statistics;
    expect([pose.yaw_mean_std.length, pose.pitch_mean_std.length]).toEqual([2, 2]);
  });

  it('state whether eyes are open, or null where that is not visible', async () => {
    const { datasetId } = await dataset();
    const [made] = await insertClasses(db, { workspaceId, datasetId }, [{ label: 'Franck' }]);
    const at = async (seconds: number): Promise<string> => {
      const frame = ['-ss', String(seconds), '-i', media.franck, '-frames:v', '1'];
      return stored(await transcode('blinking.png', frame));
    };
    // Closed, half closed in a blink, open.
    const keys = [await at(101.08), await at(100.72), await at(0.24)];
    await insertImages(db, { workspaceId, datasetId, classId: made!.id }, keys.map(image));
    await evaluated();
    const rows = await db.query(
      `SELECT evaluation_result->'face_attributes'->'eyesopen' AS eyes FROM dataset_images WHERE dataset_id = $1 ORDER BY seq`,
      [datasetId],
    );
    expect(rows.map(({ eyes }: { eyes: boolean | null }) => eyes)).toEqual([false, null, true]);
  });

  it('are analysed again when their file changes, and only then', async () => {
    const { datasetId, read } = await dataset();
    const [made] = await insertClasses(db, { workspaceId, datasetId }, [{ label: 'Audrey' }]);
    const place = { workspaceId, datasetId, classId: made!.id };
    const images = [image(await stored(media.faces['audrey']!)), image(await stored(media.faces['cage']!))];
    await insertImages(db, place, images);
    await evaluated();
    const tokens = async (): Promise<number[]> => {
      const rows = await db.query(
        'SELECT fencing_token AS token FROM dataset_images WHERE class_id = $1 ORDER BY seq',
        [made!.id],
      );
      return rows.map(({ token }: { token: number }) => token);
    };
    const [first, second] = await tokens();
    const storageKey = await stored(media.faces['audrey']!);
    await db.transaction(async (manager) => {
      const { id } = await lockClass(manager, place);
      const [row] = await manager.query('SELECT * FROM dataset_images WHERE id = $1', [images[1]!.id]);
      const before = { ...row, classId: id, storageKey: row.storage_key, ownsFile: row.owns_file, workspaceId };
      await changeImage(manager, before, { storageKey });
    });
    expect((await read()).evaluation_state).toBe(0.5);
    await evaluated();
    const [third, fourth] = await tokens();
    expect([third, fourth! > second!]).toEqual([first, true]);
    expect((await read()).evaluation_state).toBe(1);
    const rows = await db.query('SELECT 1 FROM dataset_looks WHERE workspace_id = $1', [workspaceId]);
    // Equal bytes are analysed once.
    const digests = await db.query('SELECT DISTINCT digest FROM dataset_images WHERE digest IS NOT NULL');
    expect(rows.length).toBeGreaterThanOrEqual(digests.length);
  });

  it('are asked for under a name of their own: services of other types find other images', () => {
    const watch = jest.spyOn(DueWork.of(db), 'watch');
    // The last of these: from now on it works without being told.
    loop.onApplicationBootstrap();
    expect(watch).toHaveBeenCalledWith(expect.objectContaining({ name: 'dataset_images.face' }));
    watch.mockRestore();
  });
});
