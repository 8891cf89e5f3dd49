import { randomUUID } from 'node:crypto';
import { DatasetErasureEntity, DatasetImageEntity, openDatabase, type Database } from '@adit/database';
import { MAX_ATTEMPTS } from '@adit/leases';
import { configureLogging } from '@adit/runtime';
import { specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DatasetErasures } from './dataset-erasures.js';

let own: SpecDatabase;
let database: Database;

beforeAll(async () => {
  configureLogging({ level: 'silent' });
  own = await specDatabase();
  database = await openDatabase(own.settings);
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
});

it('an erasure that processes died of begins anew, later, and ends', async () => {
  const { dataSource: db } = database;
  const erasures = new DatasetErasures(db);
  const [id, workspaceId] = [randomUUID(), randomUUID()];
  await db.manager.insert(DatasetErasureEntity, { id, workspaceId, datasetId: id, classId: null });
  await db.query(`UPDATE dataset_erasures SET state = 'processing', attempts = $2, lease_until = now() WHERE id = $1`, [
    id,
    MAX_ATTEMPTS,
  ]);
  await erasures.idle();
  const left = 'SELECT state, attempts, lease_until > now() AS later FROM dataset_erasures WHERE id = $1';
  expect(await db.query(left, [id])).toEqual([{ state: 'processing', attempts: 0, later: true }]);
  await db.query('UPDATE dataset_erasures SET lease_until = now() WHERE id = $1', [id]);
  await erasures.idle();
  expect(await db.query(left, [id])).toEqual([]);
  await erasures.onApplicationShutdown();
});

it('analyses without images are removed, and an image whose analysis is gone is analysed again', async () => {
  const { dataSource: db } = database;
  const erasures = new DatasetErasures(db);
  const [workspaceId, datasetId, classId, id] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  const image = { id, workspaceId, datasetId, classId, storageKey: 'k', state: 'completed', digest: 'gone' } as const;
  const known = { ...image, id: randomUUID(), digest: 'known' } as const;
  await db.manager.insert(DatasetImageEntity, [image, known] as Partial<DatasetImageEntity>[]);
  for (const [digest, age] of Object.entries({
    orphan: 'now()',
    old: "now() - interval '2 hours'",
    known: "'-infinity'",
  })) {
    await db.query(`INSERT INTO dataset_looks VALUES ($1, $2, 'a', '{}', ${age})`, [workspaceId, digest]);
  }
  await erasures.idle();
  // A younger row may belong to an image that is being written.
  const looks = await db.query('SELECT digest FROM dataset_looks WHERE workspace_id = $1 ORDER BY digest', [
    workspaceId,
  ]);
  expect(looks).toEqual([{ digest: 'known' }, { digest: 'orphan' }]);
  const images = await db.manager.findBy(DatasetImageEntity, { datasetId });
  expect(new Map(images.map(({ digest, state }) => [digest, state]))).toEqual(
    new Map([
      ['gone', 'waiting'],
      ['known', 'completed'],
    ]),
  );
  await erasures.onApplicationShutdown();
});
