/** @needs build */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { RUNNABLE_FLAGS, runnable } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseConformance } from '../conformance.js';
import { openDatabase } from '../database.js';
import { lockDirectory } from './directory-lock.js';
import { MIGRATIONS } from '../migrations/index.js';
import { PgliteServer } from './pglite-server.js';
import { startPgliteAhead } from './pglite-start.js';
import { unpackTemplate } from './pglite-template.js';
import { schemaDifferences } from '../schema.js';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'adit-database-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

databaseConformance('pglite', () => openDatabase({ driver: 'pglite', directory: null }), { concurrent: false });

describe('PGlite on a disk', () => {
  it('keeps what was committed and nothing else when its process is killed in the middle of a transaction', async () => {
    const directory = join(root, 'killed');
    const lines = await killWriter(directory);
    const committed = Math.max(...lines.map(Number));
    expect(committed).toBeGreaterThanOrEqual(20);

    const database = await openDatabase({ driver: 'pglite', directory });
    try {
      const [{ settled, pending }] = await database.dataSource.query(
        `SELECT count(DISTINCT batch)::int AS settled, (SELECT count(*)::int FROM writes WHERE NOT settled) AS pending FROM writes`,
      );
      // The row in flight at the signal may have been committed without its line having been read.
      expect([committed, committed + 1]).toContain(settled);
      expect(pending).toBe(0);
      const [{ torn }] = await database.dataSource.query(
        `SELECT count(*)::int AS torn FROM (SELECT batch FROM writes GROUP BY batch HAVING count(*) <> 10) AS x`,
      );
      expect(torn).toBe(0);
    } finally {
      await database.close();
    }
  });

  it('is refused to a second user while it is open, says who has it, and is free after close', async () => {
    // The database is shared with the tests below, because making one costs seconds.
    const directory = join(root, 'shared');
    const first = await openDatabase({ driver: 'pglite', directory });
    const second = openDatabase({ driver: 'pglite', directory });
    await expect(second).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(second).rejects.toThrow(`in use by process ${process.pid}`);
    await expect(openInChild(directory)).resolves.toContain(`in use by process ${process.pid}`);
    expect(await first.dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await first.close();
    await first.close();
    await (await openDatabase({ driver: 'pglite', directory })).close();
  });

  it('is started ahead of its opening, which gets its error, and is closed where nobody opened it', async () => {
    const directory = join(root, 'shared');
    const closeUnused = startPgliteAhead(directory);
    const database = await openDatabase({ driver: 'pglite', directory });
    await closeUnused();
    // It was taken, so it goes on, and has the folder.
    expect(await database.dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    startPgliteAhead(directory);
    await expect(openDatabase({ driver: 'pglite', directory })).rejects.toThrow(`in use by process ${process.pid}`);
    await database.close();
    await startPgliteAhead(directory)();
    await (await openDatabase({ driver: 'pglite', directory })).close();
  });

  it('takes over the lock of a process that is gone: another start time, another host, half a file', async () => {
    const directory = join(root, 'shared');
    const leftovers = [
      await lockOf(process.pid, '1'),
      await lockOf(2 ** 22 + 1, '1'),
      JSON.stringify({ pid: 1, started: '1', realm: 'another-host' }),
      '{"pid": 1',
    ];
    for (const leftover of leftovers) {
      await writeFile(join(directory, 'adit.lock'), leftover);
      await (await lockDirectory(directory)).release();
    }
  });

  it('is given to one of many that find the lock of a dead process', async () => {
    for (let round = 0; round < 30; round += 1) {
      const directory = await mkdtemp(join(root, 'dead-'));
      await writeFile(join(directory, 'adit.lock'), await lockOf(2 ** 22 + 1, '1'));
      const starts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)));
      const held = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
      expect([round, held.length]).toEqual([round, 1]);
      await held[0]?.release();
      expect(await readdir(directory)).toEqual([]);
    }
  });

  it('is left alone, with an error, once another process has taken it over', async () => {
    const directory = join(root, 'shared');
    const database = await openDatabase({ driver: 'pglite', directory });
    const theirs = JSON.stringify({ pid: 1, started: '1', realm: 'another-host' });
    await writeFile(join(directory, 'theirs'), theirs);
    await rename(join(directory, 'theirs'), join(directory, 'adit.lock'));
    let refused: unknown = null;
    while (refused === null) {
      refused = await database.dataSource.query('SELECT 1').then(
        () => sleep(100, null),
        (error: unknown) => error,
      );
    }
    await expect(database.dataSource.query('SELECT 1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await database.close();
    expect(await readFile(join(directory, 'adit.lock'), 'utf8')).toBe(theirs);
    await rm(join(directory, 'adit.lock'));
  });

  it('begins anew where a process was killed while it made the database', async () => {
    const directory = join(root, 'half');
    await mkdir(join(directory, 'pgdata'), { recursive: true });
    await writeFile(join(directory, 'pgdata/PG_VERSION'), '18\n');
    const database = await openDatabase({ driver: 'pglite', directory });
    expect(await database.dataSource.query('SELECT count(*)::int AS jobs FROM jobs')).toEqual([{ jobs: 0 }]);
    await database.close();
  });

  it('starts from the template of the build: an empty database with the whole schema', async () => {
    const directory = join(root, 'unpacked', 'pgdata');
    await mkdir(directory, { recursive: true });
    expect(await unpackTemplate(directory)).toBe(true);
    await writeFile(join(root, 'unpacked', 'pgdata.finished'), '');
    const settings = { driver: 'pglite', directory: join(root, 'unpacked') } as const;
    const database = await openDatabase(settings, { schema: 'take' });
    const ran = await database.dataSource.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
    expect(ran.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
    expect(await schemaDifferences(database.dataSource)).toEqual([]);
    await database.close();
  });

  it('does not start from half a template', async () => {
    // The build makes complete ones, which every later database in memory begins with.
    const template = gzipSync(randomBytes(5_000)).subarray(0, 1_000);
    const broken = new PgliteServer({ directory: null, durable: false, template });
    await expect(broken.start()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await broken.close();
  });

  it('commits to the disk by default', async () => {
    const directory = join(root, 'shared');
    for (const durable of [true, false]) {
      const database = await openDatabase({ driver: 'pglite', directory, durable });
      expect(await database.dataSource.query(`SELECT current_setting('fsync') AS fsync`)).toEqual([
        { fsync: durable ? 'on' : 'off' },
      ]);
      await database.close();
    }
  });

  /** @hardening overload: Long work holds the event loop */
  it('leaves the event loop free while a query runs, and gives up waiting for its connection', async () => {
    // Opening it waits for its connection as well, which takes a while on a busy machine.
    const database = await openDatabase({ driver: 'pglite', directory: null, acquireSeconds: 2 });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const began = performance.now();
    await database.dataSource.query(`SELECT count(*) FROM generate_series(1, 3000000) AS n WHERE sqrt(n) > 1`);
    const took = performance.now() - began;
    delay.disable();
    // A query on this thread would have blocked it for its whole time; a busy machine delays everything a little.
    expect(delay.max / 1e6).toBeLessThan(Math.max(200, took / 2));
    const holder = database.dataSource.createQueryRunner();
    await holder.connect();
    await expect(database.dataSource.query('SELECT 1')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await holder.release();
    expect(await database.dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await database.close();
    await expect(database.dataSource.query('SELECT 1')).rejects.toThrow();
  });
});

async function lockOf(pid: number, started: string): Promise<string> {
  const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return JSON.stringify({ pid, started, realm: `${hostname()} ${boot} ${await readlink('/proc/self/ns/pid')}` });
}

const file = (name: string) => pathToFileURL(runnable(name, import.meta.url)).href;

function child(program: string, directory: string) {
  const options = [...RUNNABLE_FLAGS, '--input-type=module', '-e', program, directory];
  return spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Commits batches of 10 rows until it is killed, in the middle of one; returns the numbers that it reported. */
async function killWriter(directory: string): Promise<string[]> {
  const writer = child(
    `import { openDatabase } from '${file('../database.ts')}';
     import { inTransaction } from '${file('../transaction.ts')}';
     const { dataSource } = await openDatabase({ driver: 'pglite', directory: process.argv[1] });
     await dataSource.query('CREATE TABLE writes (batch integer, settled boolean)');
     for (let batch = 1; ; batch += 1) {
       await inTransaction(dataSource, async (manager) => {
         for (let row = 0; row < 10; row += 1) await manager.query('INSERT INTO writes VALUES ($1, false)', [batch]);
         await manager.query('UPDATE writes SET settled = true WHERE batch = $1', [batch]);
       });
       console.log(batch);
     }`,
    directory,
  );
  const lines: string[] = [];
  for await (const line of createInterface(writer.stdout)) {
    lines.push(line);
    if (lines.length === 20) writer.kill('SIGKILL');
  }
  if (writer.signalCode === null) await once(writer, 'exit');
  return lines;
}

async function openInChild(directory: string): Promise<string> {
  const opener = child(
    `import { openDatabase } from '${file('../database.ts')}';
     await openDatabase({ driver: 'pglite', directory: process.argv[1] }).then(
       (database) => (console.log('opened'), database.close()),
       (error) => console.log(error.message),
     );`,
    directory,
  );
  let output = '';
  for await (const chunk of opener.stdout) output += String(chunk);
  return output;
}
