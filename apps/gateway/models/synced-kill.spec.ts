/** @needs weights, servers, time */
import 'reflect-metadata';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { LeaseEntity, ModelVersionEntity, ObjectRemovalEntity } from '@adit/database';
import { describeWith, freshDatabase, RUNNABLE_FLAGS, runnable, type FreshDatabase } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { syncing } from '../testing/syncing.js';
import { removeLeftFolders } from './model-folders.js';

const LONG = 600_000;
const HOME = join(import.meta.dirname, '../../../models/general-c');
const PROGRAM = runnable('../testing/syncing-process.ts', import.meta.url);
/** Parts of the time that a version takes, from when it is written down that it is looked at. */
const KILLS = [0, 0.3, 0.6, 0.9];

await describeWith('postgres', 'a gateway that is killed while it follows models', ({ postgres }) => {
  let fresh: FreshDatabase;
  let folder: string;
  let life: Awaited<ReturnType<typeof syncing>>;
  const objects = () => join(folder, 'objects');
  const bucket = () => join(folder, 'bucket');

  const put = async (name: string, content: Uint8Array | string) => {
    const path = join(bucket(), name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    // It is whole since long ago.
    await utimes(path, 1_700_000_000, 1_700_000_000);
  };
  const another = (): ChildProcess =>
    fork(PROGRAM, [fresh.url, objects(), pathToFileURL(bucket()).href], { execArgv: [...RUNNABLE_FLAGS] });
  const stateOf = async (version: number) =>
    (await life.rows.all()).find((row) => row.version === version)?.state ?? 'unknown';
  /** The dead one's lease has run out. */
  const expire = () => life.db.manager.update(LeaseEntity, { name: 'followed-models' }, { leaseUntil: new Date(0) });

  beforeAll(async () => {
    fresh = await freshDatabase(postgres.url);
    folder = await mkdtemp(join(tmpdir(), 'adit-killed-'));
    await mkdir(objects());
    life = await syncing(fresh.url, objects(), pathToFileURL(bucket()).href);
    const yaml = (await readFile(join(HOME, 'model.yaml'), 'utf8'))
      .replace(/^sha256:\n( {2}.*\n?)*/m, '')
      .replace(/^isDefault:.*\n/m, '')
      .replace(/^name: .*/m, 'name: helmets\nfamily: detector\ndecoding: nanodet');
    await put('helmets/model.yaml', yaml);
  }, LONG);
  afterAll(async () => {
    await life?.close();
    await fresh?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it(
    'leaves nothing half: the next one publishes the version, once, and what was left is removed',
    async () => {
      const graph = await readFile(join(HOME, '1/model.onnx'));
      let usual = 0;
      let cut = 0;
      for (const [index, part] of [null, ...KILLS].entries()) {
        const version = index + 1;
        // Metadata, so that each is another version.
        const entry = Buffer.from(`\x0a\x01k\x12\x01${index}`, 'latin1');
        await put(`helmets/${version}/model.onnx`, Buffer.concat([graph, Buffer.from([0x72, entry.length]), entry]));
        const child = another();
        const ended = once(child, 'exit');
        while ((await stateOf(version)) === 'unknown' && child.exitCode === null) await sleep(5);
        const begun = performance.now();
        if (part === null) {
          expect(await ended).toEqual([0, null]);
          usual = performance.now() - begun;
        } else {
          await sleep(part * usual);
          child.kill('SIGKILL');
          await ended;
          if ((await stateOf(version)) === 'checking') cut += 1;
          await expire();
          life.service.nudge();
          await life.service.idle();
          await expire();
        }
        const rows = await life.rows.all();
        expect(rows.map((row) => [row.version, row.state, row.problem, row.attempts])).toEqual(
          Array.from({ length: version }, (_, at) => [at + 1, 'published', null, 0]),
        );
      }
      // Most of them died in the midst of it.
      expect(cut).toBeGreaterThanOrEqual(2);

      const versions = await life.db.manager.find(ModelVersionEntity, { order: { versionNumber: 'ASC' } });
      expect(versions.map(({ versionNumber }) => versionNumber)).toEqual([1, 2, 3, 4, 5]);
      expect(new Set(versions.map(({ digest }) => digest)).size).toBe(versions.length);
      // Other objects in the store are noted for removal.
      const removals = await life.db.manager.find(ObjectRemovalEntity);
      const found = new Set<string>();
      for await (const { key } of life.objects.list('models/')) found.add(`${key.split('/').slice(0, 3).join('/')}/`);
      const there = [...found];
      const kept = new Set(versions.map(({ objectPrefix }) => objectPrefix));
      expect([...kept].filter((prefix) => !there.includes(prefix!))).toEqual([]);
      const noted = removals.map(({ prefix }) => prefix);
      expect(there.filter((prefix) => !kept.has(prefix) && !noted.includes(prefix))).toEqual([]);
      expect(noted.filter((prefix) => kept.has(prefix))).toEqual([]);

      await removeLeftFolders();
      const left = (await readdir(tmpdir())).filter((name) => /^adit-model-\d+-/.test(name));
      expect(left.filter((name) => !isOfOneAlive(name))).toEqual([]);
    },
    LONG,
  );
});

function isOfOneAlive(name: string): boolean {
  try {
    return process.kill(Number(name.split('-')[2]), 0);
  } catch {
    return false;
  }
}
