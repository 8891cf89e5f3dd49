/** @needs weights, build */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { smallDisk } from '@adit/testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { startGateway } from '../testing/gateway.js';
import { Uploader } from '../testing/uploads.js';

const gateway = await startGateway();
const root = join(gateway.dataDir, 'objects');
const disk = await smallDisk(root, '2m');

afterAll(async () => {
  if ('unmount' in disk) await disk.unmount();
  await gateway.close();
});

('unmount' in disk ? describe : describe.skip)(
  `an object store that is full${'reason' in disk ? ` (skipped: ${disk.reason})` : ''}`,
  () => {
    it('answers uploads with 507 and the reason, is told by readiness and metrics, and takes them when there is room', async () => {
      await Promise.all(['objects', 'incoming'].map((name) => mkdir(join(root, name))));
      const uploader = await Uploader.of(gateway);
      const kept = await uploader.send(Buffer.alloc(1 << 20, 1), 'kept.bin', { query: '?folder=/q' });
      expect(kept.status).toBe(200);
      const refused = await uploader.send(Buffer.alloc(2 << 20, 2), 'more.bin', { query: '?folder=/q' });
      expect([refused.status, refused.body['code']]).toEqual([507, 'STORAGE_FULL']);
      expect(refused.body['detail']).toMatch(/^The object store cannot be used: the disk is full/);
      expect((await gateway.ask('GET', '/readyz')).text).toContain('the disk is full');
      expect((await gateway.ask('GET', '/metrics')).text).toMatch(/^adit_object_store_full 1$/m);
      const id = String(kept.body['id']);
      expect((await gateway.ask('DELETE', `/api/v1/storage/${id}/`)).status).toBe(200);
      const again = await uploader.send(Buffer.alloc(1 << 20, 2), 'more.bin', { query: '?folder=/q' });
      expect(again.status).toBe(200);
    });
  },
);
