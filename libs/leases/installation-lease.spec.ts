import { openDatabase, type Database } from '@adit/database';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { InstallationLease } from './installation-lease.js';

let database: Database;
beforeAll(async () => {
  database = await openDatabase({ driver: 'pglite', directory: null });
});
afterAll(() => database?.close());

const lease = (name: string, seconds = 300) => new InstallationLease(database.dataSource, name, seconds);

it('a lease is held by one process, which renews it, and released by no other', async () => {
  const [one, other] = [lease('held'), lease('held')];
  expect([await one.take(), await other.take(), await one.take()]).toEqual([true, false, true]);
  await other.release();
  expect(await other.take()).toBe(false);
  await one.release();
  expect(await other.take()).toBe(true);
});

it('a lease is lost after a silence in which another process has taken it', async () => {
  const [silent, other] = [lease('kept', 0), lease('kept')];
  expect([await silent.take(), await silent.keep()]).toEqual([true, true]);
  expect([await other.take(), await silent.keep(), await other.keep()]).toEqual([true, false, true]);
});

it('a lease is renewed when a third of its time has passed, and can be acquired again after its release', async () => {
  let asked = 0;
  const db = {
    query: (sql: string, values: unknown[]) => {
      asked += 1;
      return database.dataSource.query(sql, values);
    },
  } as unknown as Database['dataSource'];
  const [one, other] = [new InstallationLease(db, 'third', 300), lease('third')];
  // Only the clock of the lease is changed: the database's goes on.
  const clock = jest.spyOn(performance, 'now');
  const at = async (seconds: number) => {
    clock.mockReturnValue(seconds * 1_000);
    return [await one.keep(), asked];
  };
  expect(await at(7_000)).toEqual([true, 1]);
  expect(await at(7_099)).toEqual([true, 1]);
  expect(await at(7_100)).toEqual([true, 2]);
  expect(await at(7_199)).toEqual([true, 2]);
  await one.release();
  expect(await other.take()).toBe(true);
  expect(await at(7_199)).toEqual([false, 4]);
});
