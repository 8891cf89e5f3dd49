import { openDatabase, type Database } from '@adit/database';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
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

it('is renewed when a third of its time has passed, and taken anew by who gave it back', async () => {
  let asked = 0;
  const db = {
    query: (sql: string, values: unknown[]) => {
      asked += 1;
      return database.dataSource.query(sql, values);
    },
  } as unknown as Database['dataSource'];
  const [one, other] = [new InstallationLease(db, 'third', 300), lease('third')];
  // Of all clocks only the one that it looks at: the database goes on.
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
