/** @needs weights, build */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OutboxEntity, StorageEntryEntity } from '@adit/database';
import { storageThumbnailKey } from '@adit/storage';
import { makeThumbnail } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { blackPng } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { storedSizes, Uploader } from '../testing/uploads.js';

let gateway: TestGateway;
let uploader: Uploader;
let directory: string;
const png = blackPng(640, 320);

beforeAll(async () => {
  gateway = await startGateway();
  uploader = await Uploader.of(gateway);
  directory = await mkdtemp(join(tmpdir(), 'adit-thumbnail-'));
}, BOOT_MS);
afterAll(async () => {
  await gateway?.close();
  await rm(directory, { recursive: true, force: true });
});

async function upload(name: string, bytes: Uint8Array): Promise<number> {
  const { body } = await uploader.send(bytes, name, { query: '?folder=/thumbnails' });
  return body['id'] as number;
}

/** Waits until a thumbnail was asked for, as a decoder does. */
async function requested(id: number): Promise<StorageEntryEntity> {
  for (let tries = 0; tries < 400; tries += 1) {
    const entry = await gateway.db.manager.findOneByOrFail(StorageEntryEntity, { id });
    if (entry.thumbnail === 'requested') return entry;
    await sleep(20);
  }
  throw new Error('nobody asked for it');
}

describe('the thumbnail of a file', () => {
  it('a thumbnail is made once, waited for, kept, and goes with the file', async () => {
    const id = await upload('black.png', png);
    const before = (await storedSizes(gateway)).length;
    const waiting = [1, 2].map((version) => gateway.ask('GET', `/api/v${version}/storage/${id}/thumbnail/`));
    const entry = await requested(id);
    const path = join(directory, 'source');
    await writeFile(path, png);
    const picture = await makeThumbnail({ path, directory });
    const objects = gateway.app.get<ObjectStore>(OBJECT_STORE, { strict: false });
    await objects.put(storageThumbnailKey(entry.workspaceId, entry.key!), picture);
    await gateway.db.manager.update(StorageEntryEntity, { id }, { thumbnail: 'made' });
    for (const reply of await Promise.all(waiting)) {
      expect([reply.status, reply.headers['content-type'], reply.headers['content-length']]).toEqual([
        200,
        'image/jpeg',
        String(picture.length),
      ]);
    }
    expect(await gateway.db.manager.countBy(OutboxEntity, { topic: 'thumbnails.requested' })).toBeLessThanOrEqual(1);
    await gateway.ask('DELETE', `/api/v1/storage/${id}/`);
    expect((await storedSizes(gateway)).length).toBe(before - 1);
    expect((await gateway.ask('GET', `/api/v1/storage/${id}/thumbnail/`)).status).toBe(404);
  });

  it('a missing thumbnail is refused, with the reason', async () => {
    const text = await upload('notes.txt', Buffer.from('no media'));
    expect((await gateway.ask('GET', `/api/v1/storage/${text}/thumbnail/`)).status).toBe(404);
    const damaged = await upload('damaged.png', png);
    const outcome = { thumbnail: 'none' as const, thumbnailError: 'it is damaged' };
    await gateway.db.manager.update(StorageEntryEntity, { id: damaged }, outcome);
    const reply = await gateway.ask('GET', `/api/v1/storage/${damaged}/thumbnail/`);
    expect([reply.status, reply.json()['detail']]).toEqual([404, 'damaged.png has no thumbnail: it is damaged']);
    const [folder] = (await gateway.ask('GET', '/api/v1/storage/')).json<{ id: number }[]>();
    expect((await gateway.ask('GET', `/api/v1/storage/${folder?.id}/thumbnail/`)).status).toBe(404);
    await gateway.db.manager.update(StorageEntryEntity, { id: damaged }, { uploaded: false });
    expect((await gateway.ask('GET', `/api/v2/storage/${damaged}/thumbnail/`)).status).toBe(409);
  });
});
