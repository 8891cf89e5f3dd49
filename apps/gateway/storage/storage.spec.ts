import { createHash, randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageEntry } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGateway, type TestGateway } from '../testing/gateway.js';

let gateway: TestGateway;
let base: string;

beforeAll(async () => {
  gateway = await startGateway({ maxUploadBytes: 40 << 20 });
  await gateway.app.listen(0, '127.0.0.1');
  base = `${await gateway.app.getUrl()}/api/v1/storage/`;
});
afterAll(() => gateway?.close());

async function upload(bytes: Uint8Array, filename: string, fields: Record<string, string> = {}, query = '') {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(bytes)]), filename);
  // After the file on purpose: the fields are honoured wherever they stand.
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  const reply = await fetch(`${base}${query}`, { method: 'POST', body: form, headers: authorization() });
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
}

const authorization = () => ({ authorization: `Key ${gateway.key}` });

describe('storage', () => {
  it('stores an upload, makes its folders, serves it whole and in ranges', async () => {
    const bytes = randomBytes(300_000);
    const { status, body } = await upload(bytes, 'evening.mp4', { folder: '/news//2026/' });
    expect(status).toBe(200);
    const entry = StorageEntry.parse(body);
    expect(entry).toMatchObject({ file_size: 300_000, name: 'evening.mp4', uploaded: true, upload_failed: false });
    expect(entry.url).toMatch(/^storage:\/\/[A-Za-z0-9_-]{20}$/);
    const row = await gateway.db.manager.findOneByOrFail(StorageEntryEntity, { id: entry.id });
    expect(row.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(row.folder).toBe('/news/2026');

    const root = (await gateway.ask('GET', '/api/v1/storage?folder=/'))
      .json<unknown[]>()
      .map((one) => StorageEntry.parse(one));
    expect(root).toMatchObject([{ name: '/news', is_folder: true, url: null, file_size: null, uploaded: true }]);
    const listed = (await gateway.ask('GET', '/api/v1/storage/?folder=/news/2026')).json<unknown[]>();
    expect(listed).toEqual([entry]);

    const ranges: [string | undefined, number, Buffer][] = [
      [undefined, 200, bytes],
      ['bytes=0-9', 206, bytes.subarray(0, 10)],
      ['bytes=299990-', 206, bytes.subarray(299_990)],
      ['bytes=-5', 206, bytes.subarray(-5)],
      ['bytes=5-2', 200, bytes],
      ['bytes=0-1,4-5', 200, bytes],
    ];
    for (const [range, expected, part] of ranges) {
      const reply = await fetch(`${base}${entry.id}/file/`, {
        headers: { ...authorization(), ...(range && { range }) },
      });
      expect([range, reply.status]).toEqual([range, expected]);
      expect(Buffer.from(await reply.arrayBuffer()).equals(part)).toBe(true);
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const past = await fetch(`${base}${entry.id}/file/`, { headers: { ...authorization(), range: 'bytes=300000-' } });
    expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */300000']);
    expect(past.headers.get('content-type')).toMatch(/problem/);
    const head = await fetch(`${base}${entry.id}/file/`, { method: 'HEAD', headers: authorization() });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000']);
  });

  it('refuses names that climb, hide or are missing', async () => {
    const names: [string, Record<string, string>, string][] = [
      ['..', { folder: '/' }, ''],
      ['a.mp4', { folder: '/a/../b' }, ''],
      ['a.mp4', { folder: '/a\u0000b' }, ''],
      ['a.mp4', { folder: '/a\\b' }, ''],
      ['a.mp4', { folder: `/${'x'.repeat(300)}` }, ''],
      ['a.mp4', { folder: '/ok', name: '..' }, ''],
      ['a.mp4', { folder: '/ok', name: 'a\u202egpj.exe' }, ''],
      ['a.mp4', {}, ''],
      ['a.mp4', {}, '?folder=/../etc'],
    ];
    for (const [filename, fields, query] of names) {
      const { status, body } = await upload(Buffer.from('x'), filename, fields, query);
      expect([filename, fields, status, body['code']]).toEqual([filename, fields, 400, 'VALIDATION']);
    }
    expect(await gateway.db.manager.countBy(StorageEntryEntity, { isFolder: false })).toBe(1);
    const climbing = await upload(Buffer.from('x'), '../../../etc/passwd', { folder: '/' });
    expect(climbing.body).toMatchObject({ name: 'passwd' });
  });

  it('refuses a file that is too large, and keeps none of it', async () => {
    const { status, body } = await upload(Buffer.alloc((40 << 20) + 1), 'large.mp4', {}, '?folder=/large');
    expect([status, body['code']]).toEqual([413, 'TOO_LARGE']);
    const [left] = (await gateway.ask('GET', '/api/v1/storage/?folder=/large')).json<unknown[]>();
    expect(left).toMatchObject({ uploaded: false, upload_failed: true });
  });

  it('has stored what came while the client is still sending', async () => {
    let stored = 0;
    const halfWay = async (): Promise<void> => {
      // All but what sockets and pipes hold back.
      for (let tries = 0; stored < 15 << 20 && tries < 200; tries++) {
        stored = await largestFile(join(gateway.dataDir, 'objects'));
        await sleep(25);
      }
    };
    expect(await rawUpload('/flat', 32 << 20, 32 << 20, halfWay)).toBe(200);
    expect(stored).toBeGreaterThanOrEqual(15 << 20);
    expect(stored).toBeLessThan(32 << 20);
  });

  it('says that an upload failed when the connection breaks', async () => {
    await expect(rawUpload('/broken', 8 << 20, 1 << 20)).rejects.toThrow();
    for (let tries = 0; tries < 100; tries++) {
      const list = (await gateway.ask('GET', '/api/v1/storage/?folder=/broken')).json<StorageEntry[]>();
      if (Array.isArray(list) && list[0]?.upload_failed === true) {
        expect(list[0].uploaded).toBe(false);
        const job = { sources: [list[0].url], modules: { face_recognition: {} } };
        const posted = await gateway.ask('POST', '/api/v1/jobs/', job);
        expect([posted.status, posted.json()['code']]).toEqual([400, 'SOURCE_REFUSED']);
        return;
      }
      await sleep(50);
    }
    throw new Error('the broken upload was never marked');
  });

  it('keeps a file that a job still needs, and removes a folder with all in it', async () => {
    const { body } = await upload(Buffer.from('not a film'), 'needed.mp4', {}, '?folder=/needed/deep');
    const job = await gateway.ask('POST', '/api/v1/jobs/', {
      sources: [body['url']],
      modules: { face_recognition: {} },
    });
    expect(job.status).toBe(200);
    const folder = (await gateway.ask('GET', '/api/v1/storage/?folder=/'))
      .json<StorageEntry[]>()
      .find(({ name }) => name === '/needed');
    for (const id of [body['id'], folder?.id]) {
      expect((await gateway.ask('DELETE', `/api/v1/storage/${id}/`)).status).toBe(409);
    }
    await gateway.ask('DELETE', `/api/v1/jobs/${job.json()['id']}/`);
    expect((await gateway.ask('DELETE', `/api/v1/storage/${folder?.id}/`)).json()).toEqual({
      message: '/needed was deleted.',
    });
    for (const path of [`${body['id']}/`, `${body['id']}/file/`, '?folder=/needed/deep']) {
      expect([path, (await gateway.ask('GET', `/api/v1/storage/${path}`)).status]).toEqual([path, 404]);
    }
  });
});

/** Sends `sent` bytes of a multipart request that promises `size`, and breaks off when that is less. */
function rawUpload(folder: string, size: number, sent: number, halfWay?: () => Promise<void>): Promise<number> {
  const head = '--b\r\ncontent-disposition: form-data; name="file"; filename="f.bin"\r\n\r\n';
  const tail = '\r\n--b--\r\n';
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${base}?folder=${folder}`, {
      method: 'POST',
      headers: {
        ...authorization(),
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': head.length + size + tail.length,
      },
    });
    request.on('response', (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    });
    request.on('error', reject);
    const chunk = Buffer.alloc(256 << 10, 7);
    const send = async (): Promise<void> => {
      request.write(head);
      for (let at = 0; at < sent; at += chunk.length) {
        if (at === size / 2) await halfWay?.();
        if (!request.write(chunk)) await new Promise((drained) => request.once('drain', drained));
      }
      if (sent === size) request.end(tail);
      else setTimeout(() => request.destroy(new Error('the cable was pulled')), 100);
    };
    void send().catch(reject);
  });
}

async function largestFile(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name))
        .then(({ size }) => size)
        .catch(() => 0),
    );
  return Math.max(0, ...(await Promise.all(sizes)));
}
