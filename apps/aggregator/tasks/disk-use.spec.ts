import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase, DiskUseEntity, type Database } from '@adit/database';
import { FilesystemObjectStore } from '@adit/objects';
import { metrics } from '@adit/runtime';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DiskUses } from './disk-use.js';

let folder: string;
let database: Database;
let objects: FilesystemObjectStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-disk-'));
  objects = await FilesystemObjectStore.open(join(folder, 'objects'));
  database = await openDatabase({ driver: 'pglite', directory: null });
}, 60_000);
afterAll(async () => {
  await database?.close();
  await rm(folder, { recursive: true });
});

const newDiskUses = () => new DiskUses(database.dataSource, objects, { dataDir: folder, diskUseMinutes: 60 });

async function noted() {
  const rows = await database.dataSource.manager.find(DiskUseEntity);
  return Object.fromEntries(
    rows.map(({ kind, bytes, objects: count }) => [kind, [Number(bytes), count && Number(count)]]),
  );
}

it('disk use is added up by kind, and again when it is due', async () => {
  for (const [key, size] of [
    ...[['storage/w/a', 100] as const, ['storage/w/b', 50] as const, ['jobs/j/artifacts/x', 7] as const],
    ...[['exports/e/f', 3] as const, ['media/w/d/g/image', 11] as const, ['models/m/1/model.onnx', 13] as const],
    ['datasets/c/1', 17] as const,
  ]) {
    await objects.put(key, Buffer.alloc(size, 1));
  }
  await newDiskUses().round();
  const first = await noted();
  expect(first).toMatchObject({
    ...{ uploads: [150, 2], jobs: [10, 2], cache: [11, 1], models: [13, 1], other: [17, 1] },
    database: [expect.any(Number), null],
  });
  expect(first['database']?.[0]).toBeGreaterThan(1_000_000);
  expect(first['work']).toBeUndefined();
  await mkdir(join(folder, 'work/decoder-here-1'), { recursive: true });
  await writeFile(join(folder, 'work/decoder-here-1/film'), Buffer.alloc(100_000, 1));
  await objects.put('storage/w/c', Buffer.alloc(50, 1));
  await newDiskUses().round();
  // The next measurement is not due yet.
  expect((await noted())['uploads']).toEqual([150, 2]);
  await database.dataSource.query("UPDATE disk_uses SET time_due = now() - interval '1 second'");
  await newDiskUses().round();
  const second = await noted();
  expect(second['uploads']).toEqual([200, 3]);
  expect(second['work']?.[0]).toBeGreaterThanOrEqual(100_000);
  expect(await metrics.metrics()).toMatch(/^adit_disk_bytes\{kind="uploads"\} 200$/m);
  await rm(join(folder, 'work'), { recursive: true });
  await database.dataSource.query("UPDATE disk_uses SET time_due = now() - interval '1 second'");
  await newDiskUses().round();
  expect((await noted())['work']).toBeUndefined();
});
