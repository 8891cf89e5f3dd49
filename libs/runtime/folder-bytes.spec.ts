import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { folderBytes } from './folder-bytes.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-bytes-'));
  await mkdir(join(folder, 'a/b'), { recursive: true });
  await writeFile(join(folder, 'one'), Buffer.alloc(100_000, 1));
  await writeFile(join(folder, 'a/b/two'), Buffer.alloc(50_000, 1));
  await symlink(folder, join(folder, 'a/round'));
});
afterAll(() => rm(folder, { recursive: true }));

it('sums up what lies below a folder, and follows no link', async () => {
  const { bytes, files, isWhole } = await folderBytes(folder);
  expect([files, isWhole]).toEqual([2, true]);
  expect(bytes).toBeGreaterThanOrEqual(150_000);
  expect(bytes).toBeLessThan(250_000);
});

it('ends where there are more files than it may look at, and finds nothing where there is no folder', async () => {
  expect(await folderBytes(folder, 1)).toMatchObject({ files: 1, isWhole: false });
  expect(await folderBytes(join(folder, 'none'))).toEqual({ bytes: 0, files: 0, isWhole: true });
});
