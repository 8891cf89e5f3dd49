import { randomUUID } from 'node:crypto';
import { DatasetErasureEntity, openDatabase, type Database } from '@adit/database';
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

it('begins anew, later, what processes died of, and ends it', async () => {
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
