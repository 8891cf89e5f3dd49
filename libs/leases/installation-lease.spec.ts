import { openDatabase, type Database } from '@adit/database';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { InstallationLease } from './installation-lease.js';

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ driver: 'pglite', directory: null });
});
afterAll(() => database?.close());

const lease = (name: string, seconds = 300) => new InstallationLease(database.dataSource, name, seconds);

it('is held by one process, who renews it, and given back by nobody else', async () => {
  const [one, other] = [lease('held'), lease('held')];
  expect([await one.take(), await other.take(), await one.take()]).toEqual([true, false, true]);
  await other.release();
  expect(await other.take()).toBe(false);
  await one.release();
  expect(await other.take()).toBe(true);
});

it('is not kept by who was silent for so long that another has taken it', async () => {
  const [silent, other] = [lease('kept', 0), lease('kept')];
  expect([await silent.take(), await silent.keep()]).toEqual([true, true]);
  expect([await other.take(), await silent.keep(), await other.keep()]).toEqual([true, false, true]);
});
