import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallDisk } from '@adit/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { FilesystemObjectStore } from './filesystem.js';
import { isStoreFull } from './store-fullness.js';

const folder = await mkdtemp(join(tmpdir(), 'adit-full-'));
const disk = await smallDisk(folder, '2m');

afterAll(async () => {
  if ('unmount' in disk) await disk.unmount();
  await rm(folder, { recursive: true });
});

('unmount' in disk ? describe : describe.skip)(
  `a store on a disk that is full${'reason' in disk ? ` (skipped: ${disk.reason})` : ''}`,
  () => {
    it('a full store reports it, is not ready, keeps its objects and goes on when there is space', async () => {
      const store = await FilesystemObjectStore.open(folder);
      await store.put('kept', Buffer.alloc(1 << 20, 7));
      const error: unknown = await store.put('a', Buffer.alloc(2 << 20)).catch((reason: unknown) => reason);
      expect(error).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('the disk is full') });
      expect(isStoreFull(error)).toBe(true);
      await expect(store.ping()).rejects.toMatchObject({ message: expect.stringContaining('the disk is full') });
      expect((await store.read('kept')).equals(Buffer.alloc(1 << 20, 7))).toBe(true);
      expect(await store.stat('a')).toBeNull();
      await store.delete('kept');
      await store.put('a', Buffer.alloc(1 << 20));
    });
  },
);
