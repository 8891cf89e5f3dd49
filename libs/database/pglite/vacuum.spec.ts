import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '../database.js';
import { vacuumOnce } from './vacuum.js';

describe('vacuum of an embedded database', () => {
  let database: Database;
  const query = <T = unknown>(sql: string): Promise<T> => database.dataSource.query<T>(sql);
  /** Session settings without the delay of a second in reporting statistics. */
  const flushed = () => query('SELECT pg_stat_force_next_flush()').then(() => query('SELECT 1'));
  const keep = async (oldestAge = 200_000_000): Promise<string[]> => {
    await flushed();
    const statements = await vacuumOnce(database.dataSource, { limits: { oldestAge } });
    return statements.filter((statement) => statement.includes('things'));
  };
  const sizeOf = async (table: string): Promise<number> => {
    const [{ size } = { size: NaN }] = await query<{ size: number }[]>(
      `SELECT pg_total_relation_size('${table}')::int AS size`,
    );
    return size;
  };

  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null }, { vacuumMs: 3_600_000 });
  });
  afterAll(() => database.close());
  beforeEach(async () => {
    await query('CREATE TABLE things (id int PRIMARY KEY, state text, payload text)');
    await query(`INSERT INTO things SELECT i, 'new', repeat('x', 200) FROM generate_series(1, 1000) i`);
  });
  afterEach(() => query('DROP TABLE things'));

  it('keeps a table from growing more than its rows', async () => {
    await keep();
    await query(`UPDATE things SET state = 'first'`);
    expect(await keep()).toEqual(['VACUUM (ANALYZE) public.things']);
    const size = await sizeOf('things');
    for (let round = 0; round < 10; round += 1) {
      await query(`UPDATE things SET state = 'round ${round}'`);
      await keep();
    }
    expect(await sizeOf('things')).toBeLessThan(1.5 * size);
    // The size of a table without vacuum.
    for (let round = 0; round < 10; round += 1) await query(`UPDATE things SET state = 'again ${round}'`);
    expect(await sizeOf('things')).toBeGreaterThan(3 * size);
  });

  it('updates the planner’s row counts, and does nothing when nothing changed', async () => {
    expect(await keep()).toEqual(['ANALYZE public.things']);
    expect(await query(`SELECT reltuples::int AS rows FROM pg_class WHERE relname = 'things'`)).toEqual([
      { rows: 1000 },
    ]);
    expect(await keep()).toEqual([]);
    await query(`UPDATE things SET state = 'one' WHERE id = 1`);
    expect(await keep()).toEqual([]);
  });

  it('finds dead rows that statistics have forgotten, as after a kill', async () => {
    await keep();
    await query(`UPDATE things SET state = 'dead'`);
    await flushed();
    await query('SELECT pg_stat_reset()');
    expect(await keep()).toEqual(['ANALYZE public.things']);
    expect(await keep()).toEqual(['VACUUM public.things']);
    expect(await keep()).toEqual([]);
  });

  it('freezes rows long before transactions run out', async () => {
    await keep();
    for (let count = 0; count < 30; count += 1) await query(`UPDATE things SET state = 'x' WHERE id = 1`);
    const age = async () =>
      (
        await query<{ age: number }[]>(
          `SELECT age(datfrozenxid) AS age FROM pg_database WHERE datname = current_database()`,
        )
      )[0]?.age;
    expect(await age()).toBeGreaterThan(20);
    expect(await keep(20)).toEqual([expect.stringMatching(/^VACUUM \(FREEZE(, ANALYZE)?\) public\.things$/)]);
    expect(await age()).toBeLessThan(20);
  });

  it('runs by itself as long as the database is open', async () => {
    await database.close();
    database = await openDatabase({ driver: 'pglite', directory: null }, { vacuumMs: 300 });
    await query('CREATE TABLE things AS SELECT generate_series(1, 500)');
    await flushed();
    const analyzed = () =>
      query<unknown[]>(`SELECT 1 FROM pg_stat_user_tables WHERE relname = 'things' AND last_analyze IS NOT NULL`);
    for (let tries = 0; tries < 200 && (await analyzed()).length === 0; tries += 1) await sleep(50);
    expect(await analyzed()).toHaveLength(1);
  }, 30_000);
});
