import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DataSource, EntityManager } from 'typeorm';
import type { Database } from './database.js';
import { isUniqueViolation, toAditError } from './errors.js';
import { migrate } from './migrate.js';
import { schemaDifferences } from './schema.js';
import { inTransaction, outsideTransaction } from './transaction.js';

interface Row {
  key: string;
  value: number;
}

interface Capabilities {
  /** True when transactions run concurrently. One session (PGlite) runs them one after the other. */
  concurrent: boolean;
}

/** Requirements of every database. `create` returns a migrated one without rows. */
export function databaseConformance(name: string, create: () => Promise<Database>, { concurrent }: Capabilities): void {
  describe(`database: ${name}`, () => {
    let database: Database;
    let dataSource: DataSource;
    beforeAll(async () => {
      database = await create();
      dataSource = database.dataSource;
      // Tables of its own, so that the suite stays the same while the entities change.
      await dataSource.query(`CREATE SCHEMA conformance`);
      await dataSource.query(`CREATE TABLE conformance.counters (key text PRIMARY KEY, value integer NOT NULL)`);
      await dataSource.query(
        `CREATE TABLE conformance.kinds (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, document jsonb, bytes bytea, count bigint, moment timestamptz, name text, uid uuid)`,
      );
    });
    beforeEach(() => dataSource.query(`TRUNCATE conformance.counters, conformance.kinds`));
    afterAll(() => database?.close());

    const put = (key: string, value: number, by: Pick<DataSource, 'query'> = dataSource) =>
      by.query(`INSERT INTO conformance.counters VALUES ($1, $2)`, [key, value]);
    const rows = (): Promise<Row[]> => dataSource.query(`SELECT key, value FROM conformance.counters ORDER BY key`);
    const kept = async (column: string, value: unknown): Promise<unknown> => {
      const [row] = await dataSource.query(
        `INSERT INTO conformance.kinds (${column}) VALUES ($1) RETURNING ${column} AS value`,
        [value],
      );
      return row.value;
    };

    describe('schema', () => {
      it('is what the entities say after the migrations', async () => {
        expect(await schemaDifferences(dataSource)).toEqual([]);
      });

      it('notices a column that no migration made', async () => {
        await dataSource.query(`ALTER TABLE workspaces DROP COLUMN name`);
        expect(await schemaDifferences(dataSource)).toEqual([expect.stringContaining('"name"')]);
        await dataSource.query(`ALTER TABLE workspaces ADD COLUMN name text NOT NULL`);
        expect(await schemaDifferences(dataSource)).toEqual([]);
      });

      it('may be migrated again, by several at once', async () => {
        await Promise.all([migrate(dataSource), migrate(dataSource), migrate(dataSource)]);
        const [{ held }] = await dataSource.query(
          `SELECT count(*)::int AS held FROM pg_locks JOIN pg_database d ON d.oid = database
            WHERE locktype = 'advisory' AND datname = current_database()`,
        );
        expect(held).toBe(0);
      });
    });

    describe('a transaction', () => {
      it('commits all of it and returns what the work returned', async () => {
        const result = await inTransaction(dataSource, async (manager) => {
          await put('a', 1, manager);
          await put('b', 2, manager);
          return 'done';
        });
        expect(result).toBe('done');
        expect(await rows()).toEqual([
          { key: 'a', value: 1 },
          { key: 'b', value: 2 },
        ]);
      });

      it('rolls back wholly when the work throws, and hands on the error', async () => {
        const failure = new Error('changed my mind');
        const run = inTransaction(dataSource, async (manager) => {
          await put('a', 1, manager);
          throw failure;
        });
        await expect(run).rejects.toBe(failure);
        expect(await rows()).toEqual([]);
      });

      it('rolls back wholly when a statement fails', async () => {
        const run = inTransaction(dataSource, async (manager) => {
          await put('a', 1, manager);
          await manager.query(`SELECT 1 / 0`);
        });
        await expect(run).rejects.toThrow('division by zero');
        expect(await rows()).toEqual([]);
      });

      it('fails when the work swallows the error of a statement, unless a savepoint caught it', async () => {
        const swallowed = inTransaction(dataSource, async (manager) => {
          await put('a', 1, manager);
          await put('a', 1, manager).catch(() => undefined);
        });
        await expect(swallowed).rejects.toThrow('duplicate key');
        expect(await rows()).toEqual([]);

        await inTransaction(dataSource, async (manager) => {
          await put('a', 1, manager);
          await manager.transaction((nested) => put('a', 2, nested)).catch(() => undefined);
        });
        expect(await rows()).toEqual([{ key: 'a', value: 1 }]);
      });

      it('is refused inside another, and so is a query beside it; the outer one goes on', async () => {
        await inTransaction(dataSource, async (manager) => {
          await put('a', 1, manager);
          await expect(inTransaction(dataSource, async () => undefined)).rejects.toMatchObject({ code: 'INTERNAL' });
          await expect((async () => dataSource.query('SELECT 1'))()).rejects.toMatchObject({ code: 'INTERNAL' });
          await expect((async () => dataSource.manager.find('WorkspaceEntity'))()).rejects.toMatchObject({
            code: 'INTERNAL',
          });
        });
        expect(await rows()).toHaveLength(1);
      });

      it('lets what it started go on after its end, or outside of it', async () => {
        let late: Promise<unknown> | undefined;
        await inTransaction(dataSource, async (manager) => {
          await put('a', 1, manager);
          late = outsideTransaction(() => sleep(20).then(() => rows()));
        });
        expect(await late).toHaveLength(1);
        const after = await inTransaction(dataSource, async () => sleep(20).then(() => () => rows()));
        expect(await after()).toHaveLength(1);
      });

      it('is tried again after a serialization failure, a bounded number of times', async () => {
        let runs = 0;
        await inTransaction(dataSource, async (manager) => {
          runs += 1;
          await put('a', runs, manager);
          if (runs < 3) await manager.query(`DO $$ BEGIN RAISE EXCEPTION 'collided' USING ERRCODE = '40001'; END $$`);
        });
        expect(runs).toBe(3);
        expect(await rows()).toEqual([{ key: 'a', value: 3 }]);

        runs = 0;
        const never = inTransaction(dataSource, async (manager) => {
          runs += 1;
          await manager.query(`DO $$ BEGIN RAISE EXCEPTION 'collided' USING ERRCODE = '40P01'; END $$`);
        });
        await expect(never).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
        expect(runs).toBe(6);
      });

      it('takes its turn among many that change the same rows in opposite order', async () => {
        await put('a', 0);
        await put('b', 0);
        // Where they do run at the same time, PostgreSQL takes a second to find each deadlock.
        const times = concurrent ? 6 : 20;
        const add = (first: string, second: string) =>
          inTransaction(dataSource, async (manager) => {
            for (const key of [first, second]) {
              await manager.query(`UPDATE conformance.counters SET value = value + 1 WHERE key = $1`, [key]);
              await sleep(1);
            }
          });
        await Promise.all(Array.from({ length: times }, (_, i) => (i % 2 ? add('a', 'b') : add('b', 'a'))));
        expect(await rows()).toEqual([
          { key: 'a', value: times },
          { key: 'b', value: times },
        ]);
      });
    });

    describe('errors', () => {
      it('knows a duplicate key, and which', async () => {
        await put('a', 1);
        const error: unknown = await put('a', 2).catch((reason: unknown) => reason);
        expect(isUniqueViolation(error)).toBe(true);
        expect(isUniqueViolation(error, 'counters_pkey')).toBe(true);
        expect(isUniqueViolation(error, 'another')).toBe(false);
        expect(toAditError(error)).toMatchObject({ code: 'CONFLICT', retryable: false });
      });

      it('is INTERNAL for a wrong statement, and the connection stays usable', async () => {
        const error: unknown = await dataSource.query('SELECT * FROM nowhere').catch((reason: unknown) => reason);
        expect(isUniqueViolation(error)).toBe(false);
        expect(toAditError(error)).toMatchObject({ code: 'INTERNAL' });
        expect(await dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      });
    });

    describe('values', () => {
      it.each([
        [{ a: [1, 2.5, null, { b: 'ä\n"\\ 💡' }], z: {} }],
        [{ number: 9007199254740991, small: 1e-9, negative: -0.1 }],
        [{}],
      ])('keeps the document %j', async (document) => {
        expect(await kept('document', document)).toEqual(document);
      });

      it('keeps lists and scalars as documents when they are written as JSON', async () => {
        for (const document of [[], [1, 'two'], 'text', 0, true]) {
          expect(await kept('document', JSON.stringify(document))).toEqual(document);
        }
      });

      it('keeps bytes, all of them, also some megabytes', async () => {
        const every = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
        const keptBytes = async (bytes: Buffer): Promise<Buffer> => {
          const found = await kept('bytes', bytes);
          return Buffer.isBuffer(found) ? found : Buffer.from('not bytes');
        };
        expect(every.equals(await keptBytes(every))).toBe(true);
        const large = Buffer.alloc(4 << 20, every);
        expect(large.equals(await keptBytes(large))).toBe(true);
        expect((await keptBytes(Buffer.alloc(0))).length).toBe(0);
      });

      it('gives bigint as text, so that no digit is lost', async () => {
        expect(await kept('count', '9223372036854775807')).toBe('9223372036854775807');
        expect(await kept('count', 5)).toBe('5');
      });

      it('keeps moments in UTC to the microsecond, of which a Date has the milliseconds', async () => {
        const moment = new Date('2026-03-29T01:30:00.123Z');
        expect(await kept('moment', moment)).toEqual(moment);
        expect(await kept('moment', '2026-03-29T03:30:00.123456+02:00')).toEqual(new Date('2026-03-29T01:30:00.123Z'));
        const [{ text }] = await dataSource.query(
          `SELECT to_char(max(moment) AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') AS text FROM conformance.kinds`,
        );
        expect(text).toBe('2026-03-29 01:30:00.123456');
      });

      it('keeps a uuid, text of every plane, and null', async () => {
        const uid = randomUUID();
        expect(await kept('uid', uid)).toBe(uid);
        expect(await kept('name', "Zoë 'O' 💡 \\ \t")).toBe("Zoë 'O' 💡 \\ \t");
        expect(await kept('name', null)).toBeNull();
      });
    });

    describe('statements', () => {
      it('answers a change with its rows and how many there are, and keeps the connection of what failed', async () => {
        const session = () => dataSource.query(`SELECT pg_backend_pid() AS pid`);
        const before = await session();
        await put('a', 1);
        expect(await dataSource.query(`UPDATE conformance.counters SET value = 2 RETURNING key`)).toEqual([
          [{ key: 'a' }],
          1,
        ]);
        await expect(put('a', 1)).rejects.toMatchObject({ driverError: { code: '23505' } });
        expect(await session()).toEqual(before);
      });

      it('upserts on a natural key', async () => {
        const upsert = (key: string, value: number): Promise<Row[]> =>
          dataSource.query(
            `INSERT INTO conformance.counters VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value RETURNING value`,
            [key, value],
          );
        await Promise.all([upsert('a', 1), upsert('b', 2)]);
        expect(await upsert('a', 3)).toEqual([{ value: 3 }]);
        expect(await rows()).toEqual([
          { key: 'a', value: 3 },
          { key: 'b', value: 2 },
        ]);
      });

      it('holds an advisory lock until the transaction ends', async () => {
        const locks = `SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711`;
        await inTransaction(dataSource, async (manager) => {
          await manager.query(`SELECT pg_advisory_xact_lock(4711)`);
          expect(await manager.query(locks)).toEqual([{ held: 1 }]);
        });
        expect(await dataSource.query(locks)).toEqual([{ held: 0 }]);
      });

      it('claims rows with SKIP LOCKED', async () => {
        await put('a', 1);
        const claimed = await inTransaction(dataSource, (manager) =>
          manager.query(`SELECT key FROM conformance.counters FOR UPDATE SKIP LOCKED LIMIT 1`),
        );
        expect(claimed).toEqual([{ key: 'a' }]);
      });

      it(
        concurrent
          ? 'hands different rows to two transactions at the same time, and none twice'
          : 'gives a second transaction the rows only after the first has ended (one session)',
        async () => {
          for (const key of ['a', 'b', 'c']) await put(key, 1);
          const claim = (manager: EntityManager): Promise<Row[]> =>
            manager.query(`SELECT key, value FROM conformance.counters ORDER BY key LIMIT 2 FOR UPDATE SKIP LOCKED`);
          const ended: string[] = [];
          const second = deferred<Row[]>();
          await inTransaction(dataSource, async (manager) => {
            expect((await claim(manager)).map(({ key }) => key)).toEqual(['a', 'b']);
            second.follow(
              outsideTransaction(() => inTransaction(dataSource, claim)).finally(() => ended.push('second')),
            );
            await Promise.race([second.promise, sleep(concurrent ? 5_000 : 100, undefined, { ref: false })]);
            ended.push('first');
          });
          expect((await second.promise).map(({ key }) => key)).toEqual(concurrent ? ['c'] : ['a', 'b']);
          expect(ended).toEqual(concurrent ? ['second', 'first'] : ['first', 'second']);
        },
      );

      it('lets a second transaction wait for a row that the first holds, and see what it wrote', async () => {
        await put('a', 1);
        const order: string[] = [];
        const second = deferred<number>();
        await inTransaction(dataSource, async (manager) => {
          await manager.query(`SELECT 1 FROM conformance.counters WHERE key = 'a' FOR UPDATE`);
          second.follow(
            outsideTransaction(() =>
              inTransaction(dataSource, async (other) => {
                const [row]: { value: number }[] = await other.query(
                  `SELECT value FROM conformance.counters WHERE key = 'a' FOR UPDATE`,
                );
                order.push('second');
                return row?.value ?? NaN;
              }),
            ),
          );
          await sleep(100);
          await manager.query(`UPDATE conformance.counters SET value = 2 WHERE key = 'a'`);
          order.push('first');
        });
        expect(await second.promise).toBe(2);
        expect(order).toEqual(['first', 'second']);
      });

      it('reads any page of 10,000 rows by its key, in order', async () => {
        await dataSource.query(
          `INSERT INTO conformance.counters SELECT lpad(n::text, 6, '0'), n FROM generate_series(0, 9999) AS n`,
        );
        for (const start of [0, 5_000, 9_990]) {
          const page: Row[] = await dataSource.query(
            `SELECT value FROM conformance.counters WHERE key >= $1 ORDER BY key LIMIT 10`,
            [String(start).padStart(6, '0')],
          );
          expect(page.map(({ value }) => value)).toEqual(Array.from({ length: 10 }, (_, i) => start + i));
        }
        const everything = await rows();
        expect(everything).toHaveLength(10_000);
        expect(everything.every(({ value }, index) => value === index)).toBe(true);
      });
    });
  });
}

/** A promise that follows another one, started elsewhere. */
function deferred<T>(): { promise: Promise<T>; follow(work: Promise<T>): void } {
  let follow!: (work: Promise<T>) => void;
  const promise = new Promise<T>((resolve) => (follow = resolve));
  // It is awaited after the transaction that started it.
  promise.catch(() => undefined);
  return { promise, follow };
}
