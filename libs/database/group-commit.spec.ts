/** @needs servers */
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith, freshDatabase, type FreshDatabase } from '@adit/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from './database.js';
import { GroupCommit, groupsOf } from './group-commit.js';
import { inTransaction } from './transaction.js';

const ADD = `
  WITH given AS MATERIALIZED (SELECT * FROM jsonb_to_recordset($1::jsonb) AS row (id text, value integer)),
  added AS (INSERT INTO entries (id, value) SELECT id, value FROM given RETURNING id, value)
  SELECT id, value, pg_backend_pid() AS session FROM added`;

interface Made {
  id: string;
  value: number;
  session: number;
}

const row = (id: string, value = 1) => ({ id, text: JSON.stringify({ id, value }) });
const ids = (count: number) => Array.from({ length: count }, (_, at) => `row-${at}`);

function behaviour(opened: () => Database): void {
  let group: GroupCommit<Made>;
  let commits: number;
  let statements: number;
  beforeAll(() =>
    opened().dataSource.query(`CREATE TABLE entries (id text PRIMARY KEY, value integer CHECK (value > 0))`),
  );
  beforeEach(async () => {
    await opened().dataSource.query('DELETE FROM entries');
    commits = 0;
    statements = 0;
    group = new GroupCommit<Made>(opened().dataSource, ADD, () => (commits += 1));
    const { query } = Object.getPrototypeOf(opened().dataSource);
    opened().dataSource.query = function (this: unknown, sql: string, ...rest: unknown[]) {
      if (sql === ADD) statements += 1;
      return query.call(this, sql, ...rest);
    } as never;
  });
  afterEach(() => {
    delete (opened().dataSource as { query?: unknown }).query;
  });
  const written = async () => {
    const rows: Made[] = await opened().dataSource.query('SELECT id FROM entries');
    return rows.map(({ id }) => id).sort();
  };

  it('writes concurrent rows by one statement, and returns each caller its own row', async () => {
    const made = await Promise.all(ids(30).map((id, at) => group.write(row(id, at + 1))));
    expect(made.map(({ id, value }) => [id, value])).toEqual(ids(30).map((id, at) => [id, at + 1]));
    expect([statements, commits]).toEqual([1, 1]);
    expect(await written()).toEqual(ids(30).sort());
  });

  it('writes rows that come while a group is written with the next one', async () => {
    const first = group.write(row('first'));
    // The first statement has been sent by now.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await Promise.all([first, ...ids(20).map((id) => group.write(row(id)))]);
    expect([statements, commits]).toEqual([2, 2]);
  });

  it('refuses one row, or two of the same id, and keeps the rest', async () => {
    await group.write(row('taken'));
    const [before, beforeCommits] = [statements, commits];
    const all = [row('a'), row('taken'), row('b'), row('bad', -1), row('twice'), row('twice'), row('c')];
    const outcomes = await Promise.allSettled(all.map((each) => group.write(each)));
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, true, false, true]);
    expect(outcomes[1]).toMatchObject({ reason: { driverError: { code: '23505' } } });
    expect(outcomes[3]).toMatchObject({ reason: { driverError: { code: '23514' } } });
    expect(await written()).toEqual(['a', 'b', 'c', 'taken', 'twice']);
    // All seven are tried together, then each alone; four were committed.
    expect([statements - before, commits - beforeCommits]).toEqual([8, 4]);
  });

  it('is refused within a transaction, whose connection it would wait for', async () => {
    await inTransaction(opened().dataSource, async () => {
      expect(() => group.write(row('inside'))).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    });
    expect(await written()).toEqual([]);
  });
}

describe('group commit on PGlite', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openDatabase({ driver: 'pglite', directory: null });
  });
  afterAll(() => database?.close());
  behaviour(() => database);
});

await describeWith('postgres', 'group commit on PostgreSQL', (servers) => {
  let fresh: FreshDatabase;
  let database: Database;
  beforeAll(async () => {
    fresh = await freshDatabase(servers.postgres.url);
    database = await openDatabase({ driver: 'postgres', url: fresh.url });
  });
  afterAll(async () => {
    await database?.close();
    await fresh?.drop();
  });
  behaviour(() => database);

  const waiting = async (): Promise<number> => {
    for (;;) {
      const [found] = await fresh.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO entries%'`,
      );
      if (found !== undefined) return found.pid;
      await sleep(10);
    }
  };
  /** Blocks every insertion until it is released. */
  const holding = async <T>(work: () => Promise<T>): Promise<T> => {
    const runner = database.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('LOCK TABLE entries IN SHARE MODE');
    try {
      return await work();
    } finally {
      await runner.commitTransaction();
      await runner.release();
    }
  };
  const count = async () => Number((await fresh.query<{ n: string }>('SELECT count(*) AS n FROM entries'))[0]!.n);

  it('answers nobody before the commit; then another session sees every row', async () => {
    const group = new GroupCommit<Made>(database.dataSource, ADD, () => undefined);
    const answered: string[] = [];
    const seen: number[] = [];
    const all = await holding(async () => {
      const writes = ids(5).map(async (id) => {
        await group.write(row(id));
        answered.push(id);
        seen.push(await count());
      });
      await waiting();
      expect(answered).toEqual([]);
      return writes;
    });
    await Promise.all(all);
    expect(seen).toEqual([5, 5, 5, 5, 5]);
  });

  it('rejects all of a group whose session is killed, which wrote nothing, and goes on with the next', async () => {
    const group = new GroupCommit<Made>(database.dataSource, ADD, () => undefined);
    await database.dataSource.query('DELETE FROM entries');
    const { killed, late } = await holding(async () => {
      const outcomes = Promise.allSettled(ids(5).map((id) => group.write(row(id))));
      const pid = await waiting();
      const next = group.write(row('late'));
      await fresh.query(`SELECT pg_terminate_backend(${pid})`);
      return { killed: await outcomes, late: next };
    });
    expect(killed).toEqual(ids(5).map(() => expect.objectContaining({ status: 'rejected' })));
    expect(killed[0]).toMatchObject({ reason: { code: 'UNAVAILABLE' } });
    expect((await late).id).toBe('late');
    expect(await count()).toBe(1);
  });
});

describe('the groups of a list', () => {
  const sizes = (lengths: number[]) =>
    groupsOf(
      lengths.map((length) => 'x'.repeat(length)),
      (text) => text,
    ).map((group) => group.length);

  it('has at most 100 elements in each and a mebibyte, but never none', () => {
    expect(sizes([])).toEqual([]);
    expect(sizes(Array.from({ length: 250 }, () => 1))).toEqual([100, 100, 50]);
    expect(sizes([1 << 19, 1 << 19, 1])).toEqual([2, 1]);
    expect(sizes([1, 1 << 21, 1])).toEqual([1, 1, 1]);
  });
});
