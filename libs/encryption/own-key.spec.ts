import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ownEncryptionKey } from './own-key.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-key-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('a data folder has one key, for its owner alone', async () => {
  const key = await ownEncryptionKey(folder);
  expect(await ownEncryptionKey(folder)).toBe(key);
  expect(key.length).toBeGreaterThanOrEqual(32);
  expect((await stat(join(folder, 'encryption.key'))).mode & 0o077).toBe(0);
});

it('a damaged key is not replaced: what was encrypted with it would be lost', async () => {
  await writeFile(join(folder, 'encryption.key'), 'short');
  await expect(ownEncryptionKey(folder)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
