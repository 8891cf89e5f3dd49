import { randomUUID } from 'node:crypto';
import { openDatabase, type Database } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EXPORTS, REPORTS } from './leased-tables.js';
import { FairTaskQueue } from './fair-task-queue.js';

/** Completed tasks stay, of the same workspaces as the waiting ones. */
const [WORKSPACES, WAITING, COMPLETED] = [40, 2_000, 20_000];
const OF_REPORT = { columns: 'batch_id, title', values: `gen_random_uuid(), 'x'` };
const OF_EXPORT = { columns: 'strategy, config', values: `'job_results_export', '{}'` };

describe('the fair queue', () => {
  let database: Database;
  const workspaces = Array.from({ length: WORKSPACES }, () => randomUUID());
  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
  });
  afterAll(() => database?.close());

  it.each([
    { rows: REPORTS, ...OF_REPORT },
    { rows: EXPORTS, ...OF_EXPORT },
  ])('reads some pages for each workspace of $rows.name, however many there are', async ({ rows, columns, values }) => {
    const { manager } = database.dataSource;
    const insert = `INSERT INTO ${rows.name} (id, workspace_id, state, time_created, ${columns})
      SELECT gen_random_uuid(), ($1::uuid[])[1 + n % ${WORKSPACES}], $2, now() - make_interval(secs => n), ${values}
        FROM generate_series(1, $3::int) n`;
    await manager.query(insert, [workspaces, 'completed', COMPLETED]);
    await manager.query(insert, [workspaces, 'waiting', WAITING]);
    await manager.query(`VACUUM ANALYZE ${rows.name}`);

    const asked: string[] = [];
    const noting = {
      query: (sql: string, parameters?: unknown[]) => {
        asked.push(sql);
        return manager.query(sql, parameters);
      },
    };
    const queue = new FairTaskQueue(rows);
    const db = noting as typeof manager;
    expect(await queue.next(db, () => queue.claim(db, 60))).not.toBeNull();
    const [owners] = asked.filter((sql) => sql.includes('RECURSIVE owners'));
    const [{ 'QUERY PLAN': plans }] = await manager.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${owners}`);
    const [{ Plan: plan }] = plans as [{ Plan: Record<string, number> }];
    expect(plan['Actual Rows']).toBe(WORKSPACES);
    const pages = (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
    // Rows of open tasks are read once, to count those in progress; a step takes two or three pages.
    const [{ all }] = await manager.query(`SELECT pg_relation_size('${rows.name}') / 8192 AS "all"`);
    expect(pages).toBeLessThan(WORKSPACES * 5 + all / 4);
  });

  it('takes one query and no transaction while there are no tasks', async () => {
    const { manager } = database.dataSource;
    await manager.query('DELETE FROM reports');
    const queue = new FairTaskQueue(REPORTS);
    let claims = 0;
    const next = () =>
      queue.next(manager, async () => {
        claims += 1;
        return null;
      });
    expect([await next(), await next(), claims]).toEqual([null, null, 0]);
  });

  it('reads the workspaces with tasks again after a second', async () => {
    const { manager } = database.dataSource;
    await manager.query(
      `INSERT INTO reports (id, workspace_id, batch_id, title) SELECT gen_random_uuid(), $1, $1, 'x' FROM generate_series(1, 9)`,
      [randomUUID()],
    );
    let queries = 0;
    const db = {
      query: (sql: string, parameters?: unknown[]) => {
        if (sql.includes('RECURSIVE owners')) queries += 1;
        return manager.query(sql, parameters);
      },
    } as typeof manager;
    const queue = new FairTaskQueue(REPORTS);
    const clock = jest.spyOn(performance, 'now');
    const startedUntil = async (ms: number) => {
      clock.mockReturnValue(ms);
      expect(await queue.next(db, () => queue.claim(db, 60))).not.toBeNull();
      return queries;
    };
    expect([await startedUntil(5_000), await startedUntil(5_999), await startedUntil(6_000)]).toEqual([1, 1, 2]);
  });
});
