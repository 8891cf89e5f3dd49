/** @needs servers */
import {
  describeWith,
  freshDatabase,
  uniqueName,
  type FreshDatabase,
  type ServerName,
  type TestServers,
} from '@adit/testing';
import { configureLogging } from '@adit/runtime';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { makeIndex } from './concurrent-index.js';
import type { PostgresConfig } from './config.js';
import { openDatabase } from './database.js';
import type { DatabaseDriver } from './driver.js';
import { GuardedDataSource } from './guarded-data-source.js';
import { awaitMigrations, migrate } from './migrate.js';
import { openPglite } from './pglite/pglite.js';
import { openPostgres } from './postgres/postgres.js';

/** Lock of migrations, also of older builds, which hold it for their session. */
const MIGRATION_LOCK = 0x61646974;

class Films1900000000000 implements MigrationInterface {
  readonly name = 'Films1900000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE films (id integer, title text)');
  }
  async down(): Promise<void> {}
}

class Column1900000000001 implements MigrationInterface {
  readonly name = 'Column1900000000001';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE films ADD length integer');
  }
  async down(): Promise<void> {}
}

let indexesMade = 0;
class Index1900000000002 implements MigrationInterface {
  readonly name = 'Index1900000000002';
  readonly transaction = false;
  async up(runner: QueryRunner): Promise<void> {
    indexesMade += 1;
    await makeIndex(runner, 'IDX_filmsByTitle', 'ON films (title)');
  }
  async down(): Promise<void> {}
}

async function connected(options: DatabaseDriver['options'], shared: boolean, migrations: MigrationClass[]) {
  const more = { migrations, migrationsTableName: 'migrations', migrationsTransactionMode: 'each' as const };
  return new GuardedDataSource({ ...options, ...more }, shared).initialize();
}
type MigrationClass = new () => MigrationInterface;

const indexes = async (of: Pick<DataSource, 'query'>) =>
  of.query<unknown>(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass('"IDX_filmsByTitle"') AND NOT indisunique`,
  );

/** Makes an invalid index, as a process that dies while it makes one leaves it. */
async function leaveHalfAnIndex(of: Pick<DataSource, 'query'>): Promise<void> {
  await of.query(`INSERT INTO films (id, title) VALUES (1, 'one'), (2, 'one')`);
  await of.query('CREATE UNIQUE INDEX CONCURRENTLY "IDX_filmsByTitle" ON films (title)').catch(() => undefined);
  expect(await of.query(`SELECT 1 AS one FROM pg_index WHERE NOT indisvalid`)).toEqual([{ one: 1 }]);
}

let lines: { msg: string }[] = [];
let onLine: (() => void) | null = null;
beforeEach(() => {
  lines = [];
  indexesMade = 0;
  const write = (line: string): void => {
    lines.push(JSON.parse(line) as { msg: string });
    onLine?.();
  };
  configureLogging({ level: 'warn', to: { write } });
});
afterEach(() => configureLogging({ level: 'warn' }));

/** Resolves to the first matching line of the log, past or future. */
async function line(like: RegExp): Promise<string> {
  for (;;) {
    const found = lines.find(({ msg }) => like.test(msg));
    if (found !== undefined) return found.msg;
    await new Promise<void>((resolve) => (onLine = resolve));
  }
}

/** Ways to run migrations, with the servers that each needs, and the URL of a database. */
const WAYS = {
  directly: { needs: ['postgres'], through: (url: string) => url },
  'through a pooler of transactions': {
    needs: ['postgres', 'pgbouncer'],
    through: (url: string, { pgbouncer }: TestServers) =>
      Object.assign(new URL(pgbouncer.transaction), { pathname: new URL(url).pathname }).href,
  },
} satisfies Record<string, { needs: ServerName[]; through: (url: string, servers: TestServers) => string }>;

for (const [way, { needs, through }] of Object.entries(WAYS)) {
  await describeWith<ServerName>(needs, `migrations of a server, ${way}`, (servers) => {
    const made: FreshDatabase[] = [];
    const ends: (() => Promise<void>)[] = [];
    let url: string;
    beforeEach(async () => {
      const own = await freshDatabase(servers.postgres.url);
      made.push(own);
      ({ url } = own);
    });
    afterEach(async () => {
      for (const end of ends.splice(0)) await end();
    });
    afterAll(async () => {
      for (const one of made) await one.drop();
    });

    /** Another session, as of an operator. */
    const somebody = async (): Promise<pg.Client & { pid: number }> => {
      const client = new pg.Client({ connectionString: url, application_name: 'psql' });
      client.on('error', () => undefined);
      await client.connect();
      ends.unshift(() => client.end());
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      return Object.assign(client, { pid: rows[0]!.pid });
    };
    const ready = async (migrations: MigrationClass[], migrationSeconds?: number): Promise<DataSource> => {
      const driver = await openPostgres({ driver: 'postgres', url: through(url, servers), migrationSeconds });
      const dataSource = await connected(await driver.migrationOptions!(), true, migrations);
      ends.push(() => dataSource.destroy());
      return dataSource;
    };
    const open = (more: Partial<PostgresConfig> = {}) =>
      openDatabase({ driver: 'postgres', url: through(url, servers), ...more });
    const locks = async (client: pg.Client): Promise<number> => {
      const { rowCount } = await client.query(
        `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rowCount ?? 0;
    };

    it('wait for a locked table, log the holder, and go on when it is free', async () => {
      await migrate(await ready([Films1900000000000]));
      const reader = await somebody();
      await reader.query('BEGIN');
      await reader.query('SELECT * FROM films');
      const dataSource = await ready([Films1900000000000, Column1900000000001]);
      const migrating = migrate(dataSource);
      expect(await line(/^waiting/)).toMatch(
        new RegExp(`Column1900000000001 needs is held by session ${reader.pid} \\(psql, .* idle in transaction, for`),
      );
      await reader.query('COMMIT');
      await migrating;
      expect(await dataSource.query('SELECT length FROM films')).toEqual([]);
      expect(await locks(reader)).toBe(0);
    });

    it('give up in the end, with what to do, and leave nothing behind', async () => {
      await migrate(await ready([Films1900000000000]));
      const reader = await somebody();
      await reader.query('BEGIN');
      await reader.query('SELECT * FROM films');
      const refused = migrate(await ready([Films1900000000000, Column1900000000001]), 1);
      await expect(refused).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(
          new RegExp(`within 1 s: .*psql.*pg_terminate_backend\\(${reader.pid}\\);.*adit migrate.*MIGRATION_SECONDS`),
        ),
      });
      expect(await locks(reader)).toBe(0);
      await expect(reader.query('SELECT length FROM films')).rejects.toThrow('does not exist');
    });

    it('wait for those of another process, of an older build as well, and log it', async () => {
      const older = await somebody();
      await older.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
      const dataSource = await ready([Films1900000000000]);
      await expect(migrate(dataSource, 1)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(`being migrated by session ${older.pid} `),
      });
      lines = [];
      const migrating = migrate(dataSource);
      await line(/being migrated/);
      await older.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      await migrating;
      expect(await dataSource.query('SELECT * FROM films')).toEqual([]);
    });

    it('make an index once while others read and write, and log the blocking session', async () => {
      await migrate(await ready([Films1900000000000]));
      const writer = await somebody();
      const old = await somebody();
      await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await old.query('SELECT 1');
      const both = await Promise.all([0, 1].map(() => ready([Films1900000000000, Index1900000000002])));
      const migrating = Promise.all(both.map((dataSource) => migrate(dataSource)));
      expect(await line(/Index1900000000002/)).toContain(`held by session ${old.pid} (psql`);
      await line(/being migrated/);
      await writer.query(`INSERT INTO films (id, title) VALUES (1, 'one')`);
      await old.query('COMMIT');
      await migrating;
      expect([indexesMade, await indexes(both[0]!)]).toEqual([1, [{ valid: true }]]);
    });

    it('give up an index in the end, too, and make it anew the next time', async () => {
      await migrate(await ready([Films1900000000000]));
      const old = await somebody();
      await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await old.query('SELECT 1');
      const dataSource = await ready([Films1900000000000, Index1900000000002], 2);
      await expect(migrate(dataSource, 2)).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(new RegExp(`within 2 s: .*psql.*pg_terminate_backend\\(${old.pid}\\)`)),
      });
      expect(await locks(old)).toBe(0);
      await old.query('COMMIT');
      await migrate(dataSource);
      expect(await indexes(dataSource)).toEqual([{ valid: true }]);
    });

    it('make an index anew whose process died half-way', async () => {
      const first = await ready([Films1900000000000]);
      await migrate(first);
      const [old, killer] = [await somebody(), await somebody()];
      await old.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await old.query('SELECT 1');
      const dataSource = await ready([Films1900000000000, Index1900000000002]);
      const died = expect(migrate(dataSource)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await line(/Index1900000000002/);
      await killer.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'CREATE INDEX%'`,
      );
      await died;
      await old.query('COMMIT');
      expect(await indexes(first)).toEqual([{ valid: false }]);
      await migrate(dataSource);
      expect([indexesMade, await indexes(first)]).toEqual([2, [{ valid: true }]]);
      await migrate(dataSource);
      expect(indexesMade).toBe(2);
    });

    it('are left to another process where configured: a start waits for them, and logs it', async () => {
      await expect(open({ migrate: false, migrationSeconds: 1 })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringMatching(/lacks \d+ migrations of this release, Initial\d+ .*adit migrate/),
      });
      lines = [];
      const waiting = open({ migrate: false });
      await line(/waiting for "adit migrate"/);
      await (await open()).close();
      const { dataSource, close } = await waiting;
      expect(await dataSource.query('SELECT count(*)::int AS jobs FROM jobs')).toEqual([{ jobs: 0 }]);
      await close();
    });

    it('may be run by another user than the work, who then needs to be granted what that makes', async () => {
      const admin = await somebody();
      const user = uniqueName('spec').replace('-', '_');
      await admin.query(`CREATE ROLE ${user} LOGIN PASSWORD 'of-the-spec'`);
      try {
        const limited = Object.assign(new URL(url), { username: user, password: 'of-the-spec' }).href;
        const settings = { url: limited, migrationUrl: url, connectSeconds: 0 };
        await expect(open(settings)).rejects.toMatchObject({
          code: 'VALIDATION',
          message: expect.stringContaining('grant it SELECT, INSERT, UPDATE and DELETE'),
        });
        await admin.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${user}`);
        await admin.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${user}`);
        for (const migrates of [true, false]) {
          const { dataSource, close } = await open({ ...settings, migrate: migrates });
          expect(await dataSource.query(`SELECT current_user AS who`)).toEqual([{ who: user }]);
          await dataSource.query('DELETE FROM outbox');
          await expect(dataSource.query('CREATE INDEX ON jobs (tag)')).rejects.toThrow('must be owner');
          await close();
        }
      } finally {
        await admin.query(`DROP OWNED BY ${user}`);
        await admin.query(`DROP ROLE ${user}`);
      }
      const wrong = Object.assign(new URL(url), { username: user }).href;
      await expect(open({ migrationUrl: wrong, connectSeconds: 0 })).rejects.toMatchObject({
        code: 'VALIDATION',
        message: expect.stringMatching(`refuses the user ${user}: .* DATABASE_MIGRATION_URL`),
      });
    });
  });
}

describe('migrations of the embedded database', () => {
  it('make indexes outside of a transaction, anew where half of one was left', async () => {
    const driver = await openPglite({ driver: 'pglite', directory: null });
    const first = await connected(driver.options, false, [Films1900000000000]);
    await migrate(first);
    await leaveHalfAnIndex(first);
    await first.destroy();
    const dataSource = await connected(driver.options, false, [Films1900000000000, Index1900000000002]);
    await migrate(dataSource);
    await migrate(dataSource);
    expect([indexesMade, await indexes(dataSource)]).toEqual([1, [{ valid: true }]]);
    await dataSource.destroy();
    await driver.close();
  });

  it('are asked for by name where a process may not run them', async () => {
    const driver = await openPglite({ driver: 'pglite', directory: null });
    const dataSource = await connected(driver.options, false, [Films1900000000000]);
    await dataSource.query('DROP TABLE IF EXISTS migrations');
    await expect(awaitMigrations(dataSource, 600)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('lacks 1 migrations of this release, Films1900000000000'),
    });
    await dataSource.destroy();
    await driver.close();
  });
});
