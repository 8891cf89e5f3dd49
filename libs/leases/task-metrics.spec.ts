import { randomUUID } from 'node:crypto';
import { openDatabase, type Database } from '@adit/database';
import { metrics } from '@adit/runtime';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { observeTasks } from './task-metrics.js';

let database: Database;

beforeAll(async () => {
  database = await openDatabase({ driver: 'pglite', directory: null });
  observeTasks(database.dataSource);
});
afterAll(() => database?.close());

const query = (sql: string, parameters: unknown[] = []) => database.dataSource.query<unknown>(sql, parameters);
const counted = async (task: string) => {
  const page = await metrics.metrics();
  const of = (state: string) =>
    Number(new RegExp(`^adit_tasks{task="${task}",state="${state}"} (\\d+)$`, 'm').exec(page)?.[1]);
  return { waiting: of('waiting'), running: of('running') };
};

it('tasks that could begin are counted, and those in progress', async () => {
  const report = (state: string, lease: string | null) =>
    query(
      `INSERT INTO reports (id, workspace_id, batch_id, title, state, lease_until)
       VALUES ($1, $1, $1, '', $2, now() + $3::interval)`,
      [randomUUID(), state, lease],
    );
  expect(await counted('reports')).toEqual({ waiting: 0, running: 0 });
  await report('waiting', null);
  await report('processing', '1 minute');
  await report('completed', null);
  await report('failed', null);
  // The process at it has died.
  await report('processing', '-1 minute');
  expect(await counted('reports')).toEqual({ waiting: 2, running: 1 });
});

it('images of datasets are counted by the inference pool that analyses them, until that has ended', async () => {
  const open = async () => {
    const page = await metrics.metrics();
    return [...page.matchAll(/^adit_dataset_images{family="(\w+)"} (\d+)$/gm)].map(([, family, count]) => [
      family,
      count,
    ]);
  };
  expect(await open()).toEqual([
    ['face', '0'],
    ['landmark', '0'],
  ]);
  const workspace = randomUUID();
  const states = { face: ['completed', 'failed'], landmark: ['waiting', 'waiting', 'processing', 'completed'] };
  for (const [type, images] of Object.entries(states)) {
    const dataset = randomUUID();
    await query(`INSERT INTO datasets (id, workspace_id, name, type) VALUES ($1, $2, '', $3)`, [
      dataset,
      workspace,
      type,
    ]);
    for (const state of images) {
      await query(
        `INSERT INTO dataset_images (id, workspace_id, dataset_id, class_id, storage_key, state, lease_until)
         VALUES ($1, $2, $3, $1, 'a', $4, now() + interval '1 minute')`,
        [randomUUID(), workspace, dataset, state],
      );
    }
  }
  expect(await open()).toEqual([
    ['face', '0'],
    ['landmark', '3'],
  ]);
  await query('DELETE FROM dataset_images');
});

it('a training that waits for images does not count as one that could begin', async () => {
  const [workspace, dataset] = [randomUUID(), randomUUID()];
  await query(`INSERT INTO datasets (id, workspace_id, name, type) VALUES ($1, $2, 'people', 'face')`, [
    dataset,
    workspace,
  ]);
  await query(
    `INSERT INTO dataset_images (id, workspace_id, dataset_id, class_id, storage_key, state) VALUES ($1, $2, $3, $1, 'a', 'waiting')`,
    [randomUUID(), workspace, dataset],
  );
  await query(
    `INSERT INTO trainings (id, workspace_id, dataset_id, type, dataset, model_name, config)
     VALUES ($1, $2, $3, 'face', '{}', 'team', '{}')`,
    [randomUUID(), workspace, dataset],
  );
  expect(await counted('dataset_images')).toEqual({ waiting: 1, running: 0 });
  expect(await counted('trainings')).toEqual({ waiting: 0, running: 0 });
  await query(`UPDATE dataset_images SET state = 'completed'`);
  expect(await counted('trainings')).toEqual({ waiting: 1, running: 0 });
  // Images that came since are not part of it.
  await query(
    `INSERT INTO dataset_images (id, workspace_id, dataset_id, class_id, storage_key, state, time_created)
     VALUES ($1, $2, $3, $1, 'b', 'waiting', now() + interval '1 minute')`,
    [randomUUID(), workspace, dataset],
  );
  expect(await counted('trainings')).toEqual({ waiting: 1, running: 0 });
});

it('a deleted class does not count as one that could be evaluated', async () => {
  const id = randomUUID();
  await query(
    `INSERT INTO dataset_classes (id, workspace_id, dataset_id, reference, label, state) VALUES ($1, $1, $1, 'r', 'l', 'waiting')`,
    [id],
  );
  expect(await counted('dataset_classes')).toEqual({ waiting: 1, running: 0 });
  await query('UPDATE dataset_classes SET time_deleted = now() WHERE id = $1', [id]);
  expect(await counted('dataset_classes')).toEqual({ waiting: 0, running: 0 });
});
