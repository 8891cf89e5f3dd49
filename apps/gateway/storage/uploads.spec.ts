/** @needs weights, build */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StorageEntry } from '@adit/contracts';
import { StorageEntryEntity } from '@adit/database';
import { storageObjectKey } from '@adit/storage';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { storedSizes, Uploader } from '../testing/uploads.js';
import { UploadEntries } from './upload-entries.js';

let gateway: TestGateway;
let uploader: Uploader;

beforeAll(async () => {
  gateway = await startGateway({ maxUploadBytes: 40 << 20, uploadIdleSeconds: 1 });
  uploader = await Uploader.of(gateway);
}, BOOT_MS);
afterAll(() => gateway?.close());

async function list(folder: string): Promise<StorageEntry[]> {
  const reply = await gateway.ask('GET', `/api/v1/storage/?folder=${folder}`);
  return reply.status === 404 ? [] : reply.json<StorageEntry[]>();
}

/** Waits until the only entry of a folder says that its upload failed. */
async function failedIn(folder: string): Promise<StorageEntry> {
  for (let tries = 0; tries < 400; tries += 1) {
    const [entry] = await list(folder);
    if (entry?.upload_failed === true) return entry;
    await sleep(25);
  }
  throw new Error('the broken upload was never marked');
}

/** Sends bytes as they are over a connection of its own; resolves with the status, 0 when it was closed without one. */
function send(text: string, { end = false } = {}): Promise<number> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(uploader.base);
    let reply = '';
    const socket = connect(Number(port), hostname, () => (end ? socket.end(text) : socket.write(text)));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(reply)?.[1] ?? 0)));
    socket.on('data', (chunk) => {
      reply += chunk.toString('latin1');
      if (reply.includes('\r\n\r\n')) socket.destroy();
    });
  });
}

const PART = '--b\r\ncontent-disposition: form-data; name="file"; filename="f.bin"\r\n\r\n';

/** A multipart request for a folder, whatever its length is said to be. */
function form(folder: string, body: string, length: number | string): string {
  return [
    `POST /api/v1/storage/?folder=${folder} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Key ${gateway.key}`,
    'Content-Type: multipart/form-data; boundary=b',
    `Content-Length: ${length}`,
    '',
    body,
  ].join('\r\n');
}

describe('an upload in one request', () => {
  it('refuses names that climb, hide or are missing', async () => {
    const names: [string, Record<string, string>, string][] = [
      ['..', { folder: '/' }, ''],
      ['a.mp4', { folder: '/a/../b' }, ''],
      ['a.mp4', { folder: '/a\u0000b' }, ''],
      ['a.mp4', { folder: '/a\\b' }, ''],
      ['a.mp4', { folder: `/${'x'.repeat(300)}` }, ''],
      ['a.mp4', { folder: '/d'.repeat(33) }, ''],
      ['a.mp4', { folder: '/ok', name: '..' }, ''],
      ['a.mp4', { folder: '/ok', name: 'a/' }, ''],
      ['a.mp4', { folder: '/ok', name: 'a\u202egpj.exe' }, ''],
      ['a.mp4', {}, ''],
      ['a.mp4', {}, '?folder=/../etc'],
      ['a.mp4', {}, '?folder=/%2e%2e/etc'],
      ['a.mp4', {}, '?folder=/ok&name=..'],
    ];
    for (const [filename, fields, query] of names) {
      const { status, body } = await uploader.send(Buffer.from('x'), filename, { fields, query });
      expect([filename, fields, query, status, body['code']]).toEqual([filename, fields, query, 400, 'VALIDATION']);
    }
    expect(await gateway.db.manager.countBy(StorageEntryEntity, { isFolder: false })).toBe(0);
    expect(await storedSizes(gateway)).toEqual([]);
    const climbing = await uploader.send(Buffer.from('x'), '../../../etc/passwd', { fields: { folder: '/' } });
    expect(climbing.body).toMatchObject({ name: 'passwd' });
  });

  it('keeps an empty file as what it is', async () => {
    const { body } = await uploader.send(Buffer.alloc(0), 'empty.bin', { query: '?folder=/empty' });
    expect(body).toMatchObject({ file_size: 0, uploaded: true, upload_failed: false });
    const reply = await gateway.ask('GET', `/api/v1/storage/${body['id']}/file/`);
    expect([reply.status, reply.text]).toEqual([200, '']);
    const range = { range: 'bytes=0-' };
    expect((await gateway.ask('GET', `/api/v1/storage/${body['id']}/file/`, undefined, range)).status).toBe(416);
  });

  it('refuses a file that is too large, and keeps none of it', async () => {
    const bytes = Buffer.alloc((40 << 20) + 1);
    const { status, body } = await uploader.send(bytes, 'large.mp4', { query: '?folder=/large' });
    expect([status, body['code']]).toEqual([413, 'TOO_LARGE']);
    expect(await list('/large')).toMatchObject([{ uploaded: false, upload_failed: true, file_size: 0 }]);
    expect(Math.max(0, ...(await storedSizes(gateway)))).toBeLessThan(1000);
  });

  it('has stored what came while the client is still sending', async () => {
    let stored = 0;
    const halfWay = async (): Promise<void> => {
      // All but what sockets and pipes hold back. Looking takes less than the client may be silent for.
      for (let tries = 0; stored < 15 << 20 && tries < 30; tries++) {
        stored = Math.max(0, ...(await storedSizes(gateway)));
        await sleep(25);
      }
    };
    expect(await uploader.raw('/flat', 32 << 20, 32 << 20, halfWay)).toBe(200);
    expect(stored).toBeGreaterThanOrEqual(15 << 20);
    expect(stored).toBeLessThan(32 << 20);
  });

  it('says that an upload failed when the connection breaks, and takes the same name again', async () => {
    await expect(uploader.raw('/broken', 8 << 20, 1 << 20)).rejects.toThrow();
    const failed = await failedIn('/broken');
    expect(failed.uploaded).toBe(false);
    const job = { sources: [failed.url], modules: { face_recognition: {} } };
    const posted = await gateway.ask('POST', '/api/v1/jobs/', job);
    expect([posted.status, posted.json()['code']]).toEqual([400, 'SOURCE_REFUSED']);
    expect((await gateway.ask('GET', `/api/v1/storage/${failed.id}/file/`)).status).toBe(409);
    const { body } = await uploader.send(Buffer.from('whole'), 'f.bin', { query: '?folder=/broken' });
    expect(await list('/broken')).toEqual([body]);
  });

  it('closes on a client that falls silent', async () => {
    expect(await send(form('/silent', `${PART}some bytes`, 1_000_000))).toBe(408);
    expect((await failedIn('/silent')).uploaded).toBe(false);
  });

  it('believes no Content-Length', async () => {
    const whole = `${PART}bytes\r\n--b--\r\n`;
    // Too small: the form is cut in the middle of its file, or of its last boundary.
    for (const length of [PART.length + 3, whole.length - 4]) {
      expect([length, await send(form('/short', whole, length))]).toEqual([length, 400]);
      expect((await failedIn('/short')).uploaded).toBe(false);
    }
    // Too large, and the client has no more to say.
    expect([0, 400]).toContain(await send(form('/long', whole, whole.length + 100), { end: true }));
    for (const length of ['-1', '1e3', '5, 6', 'many']) {
      expect([length, await send(form('/odd', whole, length))]).toEqual([length, 400]);
    }
    expect(await list('/odd')).toEqual([]);
  });

  it('refuses headers and forms that are made to hurt', async () => {
    const huge = `POST /api/v1/storage/?folder=/x HTTP/1.1\r\nHost: x\r\nX-Huge: ${'h'.repeat(100_000)}\r\n\r\n`;
    expect([400, 431]).toContain(await send(huge));
    const wide = `--b\r\ncontent-disposition: form-data; name="file"; filename="f"\r\nx-huge: ${'h'.repeat(200_000)}\r\n\r\nx\r\n--b--\r\n`;
    expect([200, 400]).toContain(await send(form('/wide', wide, wide.length)));
    const fields = Array.from(
      { length: 100 },
      (_, i) => `--b\r\ncontent-disposition: form-data; name="f${i}"\r\n\r\nx\r\n`,
    );
    const crowd = `${fields.join('')}--b--\r\n`;
    expect([400, 413]).toContain(await send(form('/x', crowd, crowd.length)));
    const two = `${PART}one\r\n${PART}two\r\n--b--\r\n`;
    expect([400, 413]).toContain(await send(form('/two', two, two.length)));
    for (const entry of await list('/two')) expect(entry.uploaded).toBe(false);
    const nameless =
      '--b\r\ncontent-disposition: form-data; name="file"\r\ncontent-type: video/mp4\r\n\r\nx\r\n--b--\r\n';
    expect(await send(form('/x', nameless, nameless.length))).toBe(400);
    expect(await list('/x')).toEqual([]);
  });

  it('says so when the process died in the middle', async () => {
    const { body } = await uploader.send(Buffer.from('x'), 'dead.bin', { query: '?folder=/dead' });
    const id = body['id'] as number;
    const unfinished = { uploaded: false, timeUploaded: null };
    const entries = gateway.app.get(UploadEntries);
    await gateway.db.manager.update(StorageEntryEntity, { id }, { ...unfinished, timeTouched: () => 'now()' });
    await entries.tend();
    expect(await list('/dead')).toMatchObject([{ uploaded: false, upload_failed: false }]);
    const longAgo = () => `now() - interval '2 minutes'`;
    await gateway.db.manager.update(StorageEntryEntity, { id }, { timeTouched: longAgo });
    await entries.tend();
    expect(await list('/dead')).toMatchObject([{ uploaded: false, upload_failed: true }]);
  });

  /** @hardening jobs: Who gives up a fetch or an upload takes it from others */
  it('keeps its bytes when it is given up after it was finished', async () => {
    const { body } = await uploader.send(Buffer.from('all of it'), 'late.bin', { query: '?folder=/late' });
    const entry = await gateway.db.manager.findOneByOrFail(StorageEntryEntity, { id: body['id'] as number });
    // The entry as the process saw it whose request broke a moment ago.
    await gateway.app.get(UploadEntries).fail(Object.assign(entry, { uploaded: false }));
    expect(await list('/late')).toMatchObject([{ uploaded: true, upload_failed: false }]);
    const objects = gateway.app.get<ObjectStore>(OBJECT_STORE, { strict: false });
    expect((await objects.stat(storageObjectKey(gateway.workspaceId, entry.key!)))?.size).toBe(9);
  });
});
