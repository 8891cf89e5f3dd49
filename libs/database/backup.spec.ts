/** @needs servers */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { describeWith, freshDatabase, testServer, type FreshDatabase } from '@adit/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openDatabase, type Database } from './database.js';
import { WorkspaceEntity } from './entities/index.js';
import { schemaDifferences } from './schema.js';

const root = join(import.meta.dirname, '../..');
/** Command of the chart's backup, and the line of docs/operating/backup.md that restores its dump. */
const DUMP = readFileSync(join(root, 'helm/adit/files/dump.sh'), 'utf8');
const RESTORE = /^pg_restore .*$/m.exec(readFileSync(join(root, 'docs/operating/backup.md'), 'utf8'))![0];
/** Command of the chart's restore job. */
const RESTORE_JOB = readFileSync(join(root, 'helm/adit/files/restore-database.sh'), 'utf8');

/** The server's own programs: pg_dump has to be as new as the server. Null where the server runs elsewhere. */
async function programs(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ setting: string }>(`SELECT setting FROM pg_config WHERE name = 'BINDIR'`);
    const folder = rows[0]?.setting ?? '';
    return existsSync(join(folder, 'pg_dump')) && existsSync(join(folder, 'pg_restore')) ? folder : null;
  } finally {
    await client.end();
  }
}

/** Rows of all tables. */
async function contents({ dataSource }: Database): Promise<Record<string, unknown[]>> {
  const tables: { name: string }[] = await dataSource.query(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`,
  );
  const found: Record<string, unknown[]> = {};
  for (const { name } of tables) found[name] = await dataSource.query(`SELECT * FROM ${name} ORDER BY 1`);
  return found;
}

const server = await testServer('postgres');
const folder = 'reason' in server ? null : await programs(server.url);

await describeWith('postgres', 'a backup of the chart', ({ postgres }) => {
  if (folder === null) {
    describe('(skipped: the server is not of this machine, and pg_dump has to be as new as it is)', () => {
      it.skip('brings back all that there was', () => undefined);
    });
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'adit-backup-'));
  const made: FreshDatabase[] = [];
  afterAll(async () => {
    for (const one of made) await one.drop();
    rmSync(scratch, { recursive: true, force: true });
  });
  const fresh = async () => {
    const database = await freshDatabase(postgres.url);
    made.push(database);
    return database.url;
  };
  const run = (script: string, more: Record<string, string> = {}) =>
    execFileSync('sh', ['-euc', script], {
      cwd: scratch,
      env: { ...process.env, ...more, PATH: [folder, process.env['PATH']].join(delimiter) },
      encoding: 'utf8',
      stdio: 'pipe',
    });

  it('brings back all that there was, with the command of docs/operating/backup.md and by the job of the chart', async () => {
    const [from, to, another] = [await fresh(), await fresh(), await fresh()];
    const before = await openDatabase({ driver: 'postgres', url: from, connectSeconds: 60 });
    await before.dataSource
      .getRepository(WorkspaceEntity)
      .insert(['newsroom', 'archive — Zürich'].map((name) => ({ id: randomUUID(), name, signingSecret: 'hidden' })));
    const expected = await contents(before);
    await before.close();

    mkdirSync(join(scratch, 'secrets/database'), { recursive: true });
    writeFileSync(join(scratch, 'secrets/database/url'), 'postgresql://127.0.0.1:1/none');
    const dump = DUMP.replaceAll('/secrets/', `${scratch}/secrets/`).replaceAll('/scratch/', `${scratch}/`);
    expect(() => run(dump)).toThrow('set database.majorVersion of the chart');
    writeFileSync(join(scratch, 'secrets/database/url'), from);
    const said = run(dump);
    expect(said).toMatch(/^[1-9]\d* tables, [1-9]\d+ bytes\n$/);
    run(RESTORE, { DATABASE_URL: to });

    // The chart's job does the same, but only in an empty database.
    writeFileSync(join(scratch, 'secrets/database/url'), another);
    const job = RESTORE_JOB.replaceAll('/secrets/', `${scratch}/secrets/`).replaceAll('/scratch/', `${scratch}/`);
    expect(run(job)).toBe('restored\n');
    expect(() => run(job)).toThrow(/The database has [1-9]\d* tables: a backup is restored into an empty one alone/);

    for (const url of [to, another]) {
      const after = await openDatabase({ driver: 'postgres', url, connectSeconds: 60 }, { schema: 'take' });
      try {
        expect(await contents(after)).toEqual(expected);
        expect(await schemaDifferences(after.dataSource)).toEqual([]);
      } finally {
        await after.close();
      }
    }
  });
});
