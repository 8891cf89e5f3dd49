/** @needs servers */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describeWith, uniqueName } from '@adit/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { MinioObjectStore } from './minio/minio.js';

const root = join(import.meta.dirname, '../..');
/** The chart's backup script, and the command of docs/operating/backup.md that restores the objects. */
const COPY = readFileSync(join(root, 'helm/adit/files/copy.sh'), 'utf8');
const RESTORE = /^rclone copy backup:.*$/m.exec(readFileSync(join(root, 'docs/operating/backup.md'), 'utf8'))![0];
/** Scripts of the chart's restoration job, one after the other. */
const [FETCH, OBJECTS] = ['fetch', 'objects'].map((part) =>
  readFileSync(join(root, `helm/adit/files/restore-${part}.sh`), 'utf8'),
);
/** `npm test` fetches it. */
const RCLONE = process.env['ADIT_TEST_RCLONE'];

await describeWith('minio', 'a backup of the chart', ({ minio }) => {
  if (RCLONE === undefined) {
    describe('(skipped: no rclone; "npm test" fetches it from Debian)', () => {
      it.skip('the script brings back all objects', () => undefined);
    });
    return;
  }
  const scratch = mkdtempSync(join(tmpdir(), 'adit-backup-'));
  const stores: MinioObjectStore[] = [];
  afterAll(async () => {
    for (const store of stores) {
      await store.deletePrefix('');
      store.close();
    }
    rmSync(scratch, { recursive: true, force: true });
  });
  const open = async (bucket: string) => {
    const store = await MinioObjectStore.open({ driver: 'minio', ...minio, bucket, connectSeconds: 60 });
    stores.push(store);
    return store;
  };
  const contents = async (store: MinioObjectStore) => {
    const found: Record<string, string> = {};
    for await (const { key } of store.list('')) found[key] = (await store.read(key)).toString('base64');
    return found;
  };
  /** A store as rclone is told of one, by the chart's variables. */
  const remote = (name: string) =>
    Object.fromEntries(
      Object.entries({
        TYPE: 's3',
        PROVIDER: 'Other',
        NO_CHECK_BUCKET: 'true',
        FORCE_PATH_STYLE: 'true',
        REGION: 'us-east-1',
        ENDPOINT: minio.endpoint,
        ACCESS_KEY_ID: minio.accessKey,
        SECRET_ACCESS_KEY: minio.secretKey,
      }).map(([key, value]) => [`RCLONE_CONFIG_${name}_${key}`, value]),
    );
  const run = (script: string, variables: Record<string, string>) =>
    promisify(execFile)('sh', ['-euc', script.replaceAll('/scratch/', `${scratch}/`)], {
      cwd: scratch,
      env: {
        HOME: scratch,
        RCLONE_CONFIG: join(scratch, 'rclone.conf'),
        ...variables,
        PATH: [dirname(RCLONE), process.env['PATH']].join(delimiter),
      },
    });

  it('the script brings back all objects, with the command of docs/operating/backup.md', async () => {
    const [source, target, empty] = ['source', 'target', 'empty'].map((name) => uniqueName(name));
    const before = await open(source!);
    for (const [key, size] of [
      ['storage/w/k', 6 << 20],
      ['media/w/d/f/0/faces/l/0.json', 12],
      ['exports/e/empty', 0],
    ] as const) {
      await before.put(key, Buffer.alloc(size, key));
    }
    await open(target!);
    writeFileSync(join(scratch, 'database.dump'), 'a dump');
    const chart = { ...remote('SOURCE'), ...remote('TARGET'), FROM: `source:${source}`, TO: `target:${target}/adit` };
    await run(COPY, chart);
    const expected = await contents(before);
    const { stdout } = await run(`rclone lsf "$TO/database"`, chart);
    expect(stdout.trim().split('\n')).toEqual([
      expect.stringMatching(/Z\.complete\.json$/),
      expect.stringMatching(/Z\.dump$/),
    ]);
    // Objects deleted since the backup are kept in it.
    await before.delete('exports/e/empty');
    await run(COPY, chart);

    const after = await open(empty!);
    const line = RESTORE.replace('backup:adit-backup/', `backup:${target}/`).replace(
      'objects:adit',
      `objects:${empty}`,
    );
    await run(line, { ...remote('BACKUP'), ...remote('OBJECTS') });
    expect(await contents(after)).toEqual(expected);
  });

  it('the job of the chart fetches and copies a backup: the last one that is whole, or the one that is named', async () => {
    const [source, target, empty] = ['source', 'target', 'empty'].map((name) => uniqueName(name));
    const before = await open(source!);
    await before.put('storage/w/k', Buffer.alloc(6 << 20, 'k'));
    await before.put('exports/e/empty', Buffer.alloc(0));
    await open(target!);
    const stores = { ...remote('SOURCE'), ...remote('TARGET') };
    writeFileSync(join(scratch, 'database.dump'), 'a dump');
    await run(COPY, { ...stores, FROM: `source:${source}`, TO: `target:${target}/adit` });
    // One that was broken off is none.
    await run(`rclone copyto /scratch/database.dump target:${target}/adit/database/2099-01-01T00-00-00Z.dump`, stores);
    const { stdout } = await run(`rclone lsf target:${target}/adit/database --include '*.complete.json'`, stores);
    const [name] = stdout.split('.complete');

    // Into a bucket that is not there yet.
    const job = {
      ...stores,
      ...{ BACKUP: 'latest', FROM: `target:${target}/adit`, TO: `source:${empty}`, BUCKET: `source:${empty}` },
      MANAGE_BUCKET: 'true',
    };
    rmSync(join(scratch, 'database.dump'));
    expect((await run(FETCH!, job)).stdout).toBe(`restoring ${name}, 6 bytes of database\n`);
    expect((await run(FETCH!, { ...job, BACKUP: name! })).stdout).toContain(`restoring ${name},`);
    await expect(run(FETCH!, { ...job, BACKUP: '2099-01-01T00-00-00Z' })).rejects.toThrow(
      /has no whole backup 2099-01-01T00-00-00Z: a \.dump with its \.complete\.json beside it/,
    );
    await expect(run(FETCH!, { ...job, FROM: `target:${target}/other` })).rejects.toThrow(/has no whole backup/);
    await run(OBJECTS!, job);
    // Again, as after an attempt that failed.
    await run(OBJECTS!, job);
    expect(await contents(await open(empty!))).toEqual(await contents(before));
  });
});
