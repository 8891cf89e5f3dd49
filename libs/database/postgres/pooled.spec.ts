/** @needs servers, time */
import { setTimeout as sleep } from 'node:timers/promises';
import { configureLogging } from '@adit/runtime';
import { describeWith, freshDatabase, queryDatabase, type FreshDatabase } from '@adit/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { PostgresConfig } from '../config.js';
import { databaseConformance } from '../conformance.js';
import { openDatabase, type Database } from '../database.js';
import { toAditError } from '../errors.js';
import { inTransaction } from '../transaction.js';

/** Opens the database through the pooler, by the URL of either. */
const through = (pooler: string, database: string) =>
  Object.assign(new URL(pooler), { pathname: new URL(database).pathname }).href;

const LIMITS = { statementSeconds: 7, lockSeconds: 3, idleTransactionSeconds: 11 };
const SHOWN = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
  current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('transaction_isolation') AS isolation`;
const WANTED = { statement: '7s', lock: '3s', idle: '11s', isolation: 'read committed' };
const LEFT = { statement: '0', lock: '0', idle: '0', isolation: 'read committed' };

await describeWith(['postgres', 'pgbouncer'], 'PostgreSQL through PgBouncer', ({ postgres, pgbouncer }) => {
  const made: FreshDatabase[] = [];
  const fresh = async (pooler: string) => {
    const database = await freshDatabase(postgres.url);
    made.push(database);
    return through(pooler, database.url);
  };
  const open = (url: string, more: Partial<PostgresConfig> = {}) =>
    openDatabase({ driver: 'postgres', url, connectSeconds: 60, ...more });
  afterAll(async () => {
    for (const one of made) await one.drop();
  });

  describe.each(['session', 'transaction', 'ignoring'] as const)('of the mode %s', (mode) => {
    databaseConformance(`postgres through PgBouncer, ${mode}`, async () => open(await fresh(pgbouncer[mode])), {
      concurrent: true,
    });

    let url: string;
    let database: Database;
    beforeAll(async () => {
      url = await fresh(pgbouncer[mode]);
      database = await open(url, LIMITS);
    });
    afterAll(() => database?.close());

    it('has its limits in statements with and without parameters and in transactions, and leaves none behind', async () => {
      const { dataSource } = database;
      expect(await dataSource.query(SHOWN)).toEqual([WANTED]);
      expect(await dataSource.query(`${SHOWN} WHERE $1`, [true])).toEqual([WANTED]);
      await inTransaction(dataSource, async (manager) => {
        expect(await manager.query(SHOWN)).toEqual([WANTED]);
        expect(await manager.query(`${SHOWN} WHERE $1`, [true])).toEqual([WANTED]);
      });
      const serializable = { isolation: 'SERIALIZABLE' } as const;
      const shown = await inTransaction(dataSource, (manager) => manager.query(SHOWN), serializable);
      expect(shown).toEqual([{ ...WANTED, isolation: 'serializable' }]);
      // A failed transaction leaves nothing, either.
      await expect(dataSource.query('SELECT 1 / $1::int', [0])).rejects.toThrow('division by zero');
      await expect(dataSource.query('SELECT 1 / 0')).rejects.toThrow('division by zero');
      // Another process gets one of the same sessions where transactions are pooled.
      expect(await queryDatabase(url, SHOWN)).toEqual([LEFT]);
    });

    it('answers as without it: rows of several statements, of changes and of none', async () => {
      const { dataSource } = database;
      await dataSource.query(`CREATE TABLE kept (one integer); INSERT INTO kept VALUES (1), (2)`);
      expect(await dataSource.query(`UPDATE kept SET one = one + $1 RETURNING one`, [1])).toEqual([
        [{ one: 2 }, { one: 3 }],
        2,
      ]);
      expect(await dataSource.query(`DELETE FROM kept WHERE one = 2`)).toEqual([[], 1]);
      expect(await dataSource.query(`SELECT one FROM kept WHERE false`)).toEqual([]);
      await dataSource.query(`VACUUM kept`);
      await dataSource.query(`CREATE INDEX CONCURRENTLY kept_by_one ON kept (one)`);
    });

    it('is UNAVAILABLE for what its limits end: a long statement, a long wait for a row, a silent transaction', async () => {
      const hasty = await open(url, { statementSeconds: 2, lockSeconds: 1, idleTransactionSeconds: 1.5 });
      const retryable = { code: 'UNAVAILABLE', retryable: true };
      const adit = (work: Promise<unknown>) =>
        work.catch((error: unknown) => {
          throw toAditError(error);
        });
      await expect(adit(hasty.dataSource.query(`SELECT pg_sleep(30)`))).rejects.toMatchObject(retryable);
      await expect(adit(hasty.dataSource.query(`SELECT pg_sleep($1)`, [30]))).rejects.toMatchObject(retryable);
      await database.dataSource.query(`CREATE TABLE held AS SELECT 1 AS one`);
      await inTransaction(database.dataSource, async (manager) => {
        await manager.query(`SELECT * FROM held FOR UPDATE`);
        await expect(adit(hasty.dataSource.query(`UPDATE held SET one = 2`))).rejects.toMatchObject(retryable);
      });
      const silent = inTransaction(hasty.dataSource, async (manager) => {
        await manager.query(`UPDATE held SET one = 3`);
        await sleep(3_000);
        await manager.query(`SELECT 1`);
      });
      await expect(silent).rejects.toMatchObject(retryable);
      expect(await hasty.dataSource.query(`SELECT one FROM held`)).toEqual([{ one: 1 }]);
      await hasty.close();
    });

    it('is migrated once when ten processes start at the same time', async () => {
      const empty = await fresh(pgbouncer[mode]);
      const opened = await Promise.all(Array.from({ length: 10 }, () => open(empty, { poolSize: 2 })));
      const counts = await Promise.all(
        opened.map(({ dataSource }) => dataSource.query(`SELECT count(*)::int AS done FROM migrations`)),
      );
      await Promise.all(opened.map((one) => one.close()));
      expect(counts.map(([{ done }]) => done)).toEqual(counts.map(() => database.dataSource.migrations.length));
    }, 180_000);

    it('keeps many transactions of many connections apart', async () => {
      await database.dataSource.query(`CREATE TABLE counters (one integer)`);
      await database.dataSource.query(`INSERT INTO counters VALUES (0)`);
      const both = [database, await open(url)];
      await Promise.all(
        Array.from({ length: 60 }, (_, at) =>
          inTransaction(both[at % 2]!.dataSource, (manager) =>
            manager.query(`UPDATE counters SET one = one + $1`, [1]),
          ),
        ),
      );
      expect(await database.dataSource.query(`SELECT one FROM counters`)).toEqual([{ one: 60 }]);
      await both[1]!.close();
    });
  });

  describe('checks of a pooler', () => {
    const lines: Record<string, unknown>[] = [];
    afterEach(() => {
      lines.length = 0;
      configureLogging({ level: 'warn' });
    });
    const listen = () =>
      configureLogging({ level: 'info', to: { write: (line) => void lines.push(JSON.parse(line)) } });

    it('find that its limits go with each transaction; nothing of a server without one', async () => {
      listen();
      await (await open(await fresh(pgbouncer.transaction), LIMITS)).close();
      expect(lines).toContainEqual(
        expect.objectContaining({
          msg: expect.stringMatching(/^a pooler at 127.* the time limits go with each transaction$/),
          limits: { statement_timeout: 7_000, lock_timeout: 3_000, idle_in_transaction_session_timeout: 11_000 },
          preparing: false,
        }),
      );
      lines.length = 0;
      await (await open(await fresh(postgres.url))).close();
      expect(lines.filter(({ msg }) => /pooler/.test(String(msg)))).toEqual([]);
    });

    it('find that it refuses the user, at once', async () => {
      const wrong = new URL(await fresh(pgbouncer.transaction));
      wrong.password = 'wrong-secret';
      await expect(open(wrong.href)).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringMatching(/refuses the user .*the pooler’s users/),
      });
    });

    it('find that the server behind it does not answer, for as long as a start may wait', async () => {
      const nowhere = Object.assign(new URL(await fresh(pgbouncer.transaction)), { pathname: '/none' }).href;
      const asked = open(nowhere, { connectSeconds: 1, acquireSeconds: 1 });
      // PgBouncer 1.24 passes the server's message on; earlier ones retry.
      await expect(asked).rejects.toMatchObject({ message: expect.stringMatching(/timeout expired|no database none/) });
      await asked.catch(({ code, message }) => expect(code).toBe(/none/.test(message) ? 'VALIDATION' : 'UNAVAILABLE'));
    });

    it('reject one that pools statements', async () => {
      await expect(open(await fresh(pgbouncer.statement))).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringMatching(/pools statements; have it pool sessions or transactions/),
      });
    });

    it('is that transactions begin as the owner set, where start parameters would have said otherwise', async () => {
      const url = await fresh(pgbouncer.transaction);
      const name = new URL(url).pathname.slice(1);
      await made.at(-1)!.query(`ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`);
      await expect(open(url)).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringMatching(/begin as serializable.*ALTER DATABASE/),
      });
    });
  });
});
