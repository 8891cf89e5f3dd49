/** @needs weights, build */
import { createHash, randomBytes } from 'node:crypto';
import { request as httpRequest, type ClientRequest } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageEntry } from '@adit/contracts';
import { StorageEntryEntity, StoragePartEntity } from '@adit/database';
import { openStorageKey } from '@adit/storage';
import { OBJECT_STORE } from '@adit/objects';
import { heldBuffers } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as tus from 'tus-js-client';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { storedSizes, Uploader } from '../testing/uploads.js';
import { UploadEntries } from './upload-entries.js';

const MEGABYTE = 1 << 20;
let gateway: TestGateway;
let uploader: Uploader;
let endpoint: string;

beforeAll(async () => {
  gateway = await startGateway({ maxUploadBytes: 1 << 30 });
  uploader = await Uploader.of(gateway);
  endpoint = `${uploader.base}/v1/storage/uploads/`;
}, BOOT_MS);
afterAll(() => gateway?.close());

const VERSION = { 'tus-resumable': '1.0.0' };
const BYTES = { 'content-type': 'application/offset+octet-stream' };

/** Asks with tus's headers; what is given counts more. */
function ask(
  method: string,
  url: string,
  headers: Record<string, string> = {},
  body?: RequestInit['body'],
): Promise<Response> {
  const all = { ...uploader.headers, ...VERSION, ...headers };
  return fetch(url, { method, headers: all, ...(body === undefined ? {} : { body, duplex: 'half' }) });
}

function metadata(said: Record<string, string>): { 'upload-metadata': string } {
  const pairs = Object.entries(said).map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`);
  return { 'upload-metadata': pairs.join(',') };
}

interface Created {
  status: number;
  url: string;
  entry: StorageEntry;
}

async function create(length: number, folder: string, filename = 'film.bin', more = {}): Promise<Created> {
  const headers = { 'upload-length': String(length), ...metadata({ folder, filename, ...more }) };
  const reply = await ask('POST', endpoint, headers);
  return {
    status: reply.status,
    url: reply.headers.get('location') ?? '',
    entry: (await reply.json()) as StorageEntry,
  };
}

function patch(
  url: string,
  offset: number,
  body: RequestInit['body'],
  headers: Record<string, string> = {},
): Promise<Response> {
  return ask('PATCH', url, { ...BYTES, 'upload-offset': String(offset), ...headers }, body);
}

async function offsetOf(url: string): Promise<number> {
  return Number((await ask('HEAD', url)).headers.get('upload-offset') ?? NaN);
}

/** Sends the beginning of a stretch and leaves the connection open. */
function begin(url: string, offset: number, length: number, bytes: Uint8Array): ClientRequest {
  const request = httpRequest(url, {
    method: 'PATCH',
    headers: {
      ...uploader.headers,
      ...VERSION,
      ...BYTES,
      'upload-offset': String(offset),
      'content-length': length,
    },
  });
  request.on('error', () => undefined);
  request.write(bytes);
  return request;
}

async function downloaded(id: number, range?: string): Promise<Buffer> {
  const headers = { ...uploader.headers, ...(range === undefined ? {} : { range }) };
  return Buffer.from(await (await fetch(`${uploader.base}/v1/storage/${id}/file/`, { headers })).arrayBuffer());
}

describe('a resumable upload', () => {
  /** @hardening api: A client of tus cannot go on */
  it('an upload is what tus clients expect: begun, broken off, gone on with', async () => {
    const bytes = randomBytes(3 * MEGABYTE + 17);
    const options = {
      endpoint,
      headers: uploader.headers,
      metadata: { filename: 'naïve film.mp4', folder: '/tus', filetype: 'video/mp4' },
      chunkSize: MEGABYTE,
      retryDelays: null,
    };
    const url = await new Promise<string>((resolve, reject) => {
      const upload = new tus.Upload(bytes, {
        ...options,
        onError: reject,
        onChunkComplete: (_size, accepted) => {
          if (accepted === MEGABYTE) void upload.abort().then(() => resolve(upload.url ?? ''));
        },
      });
      upload.start();
    });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1\/storage\/uploads\/\d+\/$/);
    const half = (await gateway.ask('GET', '/api/v1/storage/?folder=/tus')).json<StorageEntry[]>();
    expect(half).toMatchObject([{ name: 'naïve film.mp4', uploaded: false, upload_failed: false }]);
    expect(half[0]!.file_size).toBeGreaterThanOrEqual(MEGABYTE);

    await new Promise<void>((resolve, reject) => {
      new tus.Upload(bytes, { ...options, uploadUrl: url, onError: reject, onSuccess: () => resolve() }).start();
    });
    const [entry] = (await gateway.ask('GET', '/api/v1/storage/?folder=/tus')).json<StorageEntry[]>();
    expect(entry).toMatchObject({ id: half[0]!.id, uploaded: true, file_size: bytes.length });
    expect((await downloaded(entry!.id)).equals(bytes)).toBe(true);

    const small = Buffer.from('sent with its creation');
    const created = await new Promise<string>((resolve, reject) => {
      const upload = new tus.Upload(small, {
        ...options,
        metadata: { filename: 'small.txt', folder: '/tus' },
        uploadDataDuringCreation: true,
        onError: reject,
        onSuccess: () => resolve(upload.url ?? ''),
      });
      upload.start();
    });
    expect(await offsetOf(created)).toBe(small.length);
    await tus.Upload.terminate(created, { headers: uploader.headers });
    expect((await ask('HEAD', created)).status).toBe(404);
  });

  it('keeps what came before the connection broke, and is one file in the end', async () => {
    const bytes = randomBytes(600_000);
    const { status, url, entry } = await create(bytes.length, '/pieces', 'film.mp4');
    expect(status).toBe(201);
    expect(StorageEntry.parse(entry)).toMatchObject({ uploaded: false, file_size: 0, url: expect.any(String) });
    const job = { sources: [entry.url], modules: { face_recognition: {} } };
    let offset = 0;
    let breaks = 0;
    while (offset < bytes.length) {
      const request = begin(url, offset, bytes.length - offset, bytes.subarray(offset, offset + 130_000));
      for (let before = offset; offset === before;) {
        await sleep(30);
        if (breaks % 2 === 0) request.destroy();
        // The other times the connection stays half open, and the client comes back over another.
        offset = await offsetOf(url);
      }
      breaks += 1;
      expect(offset).toBeLessThanOrEqual(bytes.length);
      const posted = await gateway.ask('POST', '/api/v1/jobs/', job);
      expect(posted.status).toBe(offset < bytes.length ? 400 : 200);
      if (posted.status === 200) await gateway.ask('DELETE', `/api/v1/jobs/${posted.json()['id']}/`);
    }
    expect(breaks).toBeGreaterThanOrEqual(5);
    const parts = await gateway.db.manager.countBy(StoragePartEntity, { entryId: entry.id });
    expect(parts).toBe(breaks);
    expect((await downloaded(entry.id)).equals(bytes)).toBe(true);
    for (let tries = 0; tries < 20; tries += 1) {
      const start = Math.floor(Math.random() * bytes.length);
      const end = start + Math.floor(Math.random() * (bytes.length - start));
      const part = await downloaded(entry.id, `bytes=${start}-${end}`);
      expect([start, end, part.equals(bytes.subarray(start, end + 1))]).toEqual([start, end, true]);
    }
    const { stream, size } = await openStorageKey(
      gateway.db.manager,
      gateway.app.get(OBJECT_STORE, { strict: false }),
      gateway.workspaceId,
      entry.url!.slice('storage://'.length),
    );
    expect([size, (await buffer(stream)).equals(bytes)]).toEqual([bytes.length, true]);

    const stored = (await storedSizes(gateway)).length;
    expect((await gateway.ask('DELETE', `/api/v2/storage/${entry.id}/`)).status).toBe(200);
    expect((await storedSizes(gateway)).length).toBe(stored - parts);
    expect(await gateway.db.manager.countBy(StoragePartEntity, { entryId: entry.id })).toBe(0);
  });

  it('one of many requests at one offset moves an upload on', async () => {
    const bytes = randomBytes(50_000);
    const { url, entry } = await create(bytes.length, '/contended');
    const replies = await Promise.all(Array.from({ length: 6 }, () => patch(url, 0, bytes)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 204).length).toBeGreaterThanOrEqual(1);
    for (const status of statuses) expect([204, 409]).toContain(status);
    for (let offset = await offsetOf(url); offset < bytes.length; offset = await offsetOf(url)) {
      await patch(url, offset, bytes.subarray(offset));
    }
    expect((await downloaded(entry.id)).equals(bytes)).toBe(true);
  });

  it('refuses what does not belong to it', async () => {
    const { url, entry } = await create(10, '/strict');
    const body = Buffer.from('0123456789');
    const refused: [Promise<Response>, number][] = [
      [ask('POST', endpoint, { 'upload-length': '5' }), 400],
      [ask('POST', endpoint, metadata({ folder: '/strict', filename: 'x' })), 400],
      [ask('POST', endpoint, { 'upload-length': '-5', ...metadata({ folder: '/strict', filename: 'x' }) }), 400],
      [ask('POST', endpoint, { 'upload-length': '5', ...metadata({ folder: '/../x', filename: 'x' }) }), 400],
      [ask('POST', endpoint, { 'upload-length': '5', ...metadata({ folder: '/strict', filename: '..' }) }), 400],
      [ask('POST', endpoint, { 'upload-length': '5', ...metadata({ folder: '/strict', filename: 'x\0' }) }), 400],
      [ask('POST', endpoint, { 'upload-length': '5', 'upload-metadata': '!!' }), 400],
      [ask('POST', endpoint, { 'upload-length': '2000000000', ...metadata({ folder: '/', filename: 'x' }) }), 413],
      [ask('POST', endpoint, { 'upload-length': '5', 'tus-resumable': '0.2.2' }), 412],
      [ask('HEAD', url, { 'tus-resumable': '' }), 412],
      [patch(url, 5, body.subarray(5)), 409],
      [patch(url, 0, Buffer.alloc(11)), 413],
      [patch(url, 0, body, { 'content-type': 'application/json' }), 400],
      [patch(url, 0, body, { 'content-type': 'text/plain' }), 415],
      [patch(url, 0, body, { 'upload-offset': 'x' }), 400],
      [patch(`${endpoint}999999/`, 0, body), 404],
      [ask('HEAD', `${endpoint}../${entry.id}x/`), 404],
    ];
    for (const [index, [asked, status]] of refused.entries())
      expect([index, (await asked).status]).toEqual([index, status]);
    expect(await offsetOf(url)).toBe(0);
    // More than was announced, by a body that does not say how long it is: what fits was stored, and that is all.
    const long = await patch(url, 0, Readable.toWeb(Readable.from([body, body])) as ReadableStream);
    expect(long.status).toBe(413);
    expect(await offsetOf(url)).toBe(10);
    expect((await patch(url, 10, Buffer.alloc(0))).status).toBe(204);
    expect((await downloaded(entry.id)).toString()).toBe('0123456789');
    const options = await ask('OPTIONS', endpoint);
    expect([options.status, options.headers.get('tus-version'), options.headers.get('tus-max-size')]).toEqual([
      204,
      '1.0.0',
      String(1 << 30),
    ]);
    expect((await fetch(url, { method: 'HEAD', headers: VERSION })).status).toBe(401);
    // An upload in one request is no resumable upload.
    const whole = await uploader.send(body, 'whole.bin', { query: '?folder=/strict' });
    expect((await ask('HEAD', `${endpoint}${whole.body['id']}/`)).status).toBe(404);
  });

  it('an upload has its name in the end, or nothing', async () => {
    const first = await create(4, '/named', 'a.bin');
    const second = await create(4, '/named', 'a.bin');
    expect(second.status).toBe(409);
    expect(JSON.stringify(second.entry)).toContain(`entry ${first.entry.id}, 0 of 4 bytes`);
    await uploader.send(Buffer.from('form'), 'a.bin', { query: '?folder=/named' });
    expect((await create(4, '/named', 'a.bin')).status).toBe(409);
    const stored = (await storedSizes(gateway)).length;
    expect((await patch(first.url, 0, 'tus!')).status).toBe(409);
    expect((await ask('HEAD', first.url)).status).toBe(404);
    expect((await storedSizes(gateway)).length).toBe(stored);
    const third = await create(4, '/named', 'a.bin', { if_exists: 'replace' });
    expect((await patch(third.url, 0, 'tus!')).status).toBe(204);
    const [only, ...others] = (await gateway.ask('GET', '/api/v1/storage/?folder=/named')).json<StorageEntry[]>();
    expect([only?.id, others]).toEqual([third.entry.id, []]);
    const empty = await create(0, '/named', 'empty.bin');
    expect(empty.entry).toMatchObject({ uploaded: true, file_size: 0 });
    expect((await downloaded(empty.entry.id)).length).toBe(0);
  });

  it('takes another name when its own was taken meanwhile and it may', async () => {
    const { url } = await create(4, '/renamed', 'film.bin', { if_exists: 'rename' });
    expect((await uploader.send(Buffer.alloc(1), 'film.bin', { query: '?folder=/renamed' })).status).toBe(200);
    expect((await patch(url, 0, Buffer.from('late'))).status).toBe(204);
    const said = (await ask('HEAD', url)).headers.get('upload-metadata');
    expect(said).toContain(Buffer.from('film (1).bin').toString('base64'));
  });

  it('ends what a gateway left open when it died, and gives up what nobody goes on with', async () => {
    const { url, entry } = await create(4, '/left', 'full.bin');
    await patch(url, 0, 'full');
    const { id } = entry;
    // All bytes are there, and the gateway died before it said so.
    await gateway.db.manager.update(StorageEntryEntity, { id }, { uploaded: false, timeUploaded: null });
    expect(await offsetOf(url)).toBe(4);
    expect((await gateway.ask('GET', `/api/v1/storage/${id}/`)).json()).toMatchObject({ uploaded: true });

    const other = await create(400, '/left', 'forgotten.bin');
    await patch(other.url, 0, 'some');
    const entries = gateway.app.get(UploadEntries);
    const age = (interval: string) =>
      gateway.db.manager.update(
        StorageEntryEntity,
        { id: other.entry.id },
        { timeTouched: () => `now() - interval '${interval}'` },
      );
    await age('6 days');
    await entries.tend();
    const looked = await ask('HEAD', other.url);
    expect([looked.status, looked.headers.get('upload-offset')]).toEqual([200, '4']);
    const left = Date.parse(looked.headers.get('upload-expires') ?? '') - Date.now();
    expect(Math.abs(left - 24 * 3_600_000)).toBeLessThan(600_000);
    await age('8 days');
    await entries.tend();
    expect((await ask('HEAD', other.url)).status).toBe(404);
    const said = (await gateway.ask('GET', `/api/v1/storage/${other.entry.id}/`)).json();
    expect(said).toMatchObject({ uploaded: false, upload_failed: true, file_size: 0 });
    expect(await gateway.db.manager.countBy(StoragePartEntity, { entryId: other.entry.id })).toBe(0);
  });

  /** @hardening scale: An upload takes memory by its size */
  it('takes 144 MB, and gives them back, in flat memory', async () => {
    const size = 144 * MEGABYTE;
    const sent = createHash('sha256');
    const peaks: number[] = [];
    const { url, entry } = await create(size, '/flat');
    const chunk = Buffer.alloc(MEGABYTE);
    const request = begin(url, 0, size, Buffer.alloc(0));
    const replied = new Promise((resolve) => request.on('response', ({ statusCode }) => resolve(statusCode)));
    const before = heldBuffers();
    for (let megabyte = 0; megabyte < 144; megabyte += 1) {
      if (megabyte % 24 === 0) peaks.push(heldBuffers() - before);
      sent.update(chunk.fill(megabyte));
      // The next one when this one has left: what is held is the gateway's then.
      await new Promise((left) => request.write(chunk, left));
    }
    request.end();
    expect(await replied).toBe(204);
    const received = createHash('sha256');
    let bytes = 0;
    const reply = await fetch(`${uploader.base}/v1/storage/${entry.id}/file/`, { headers: uploader.headers });
    for await (const chunk of reply.body as unknown as AsyncIterable<Uint8Array>) {
      received.update(chunk);
      if (Math.floor((bytes + chunk.length) / (24 * MEGABYTE)) > Math.floor(bytes / (24 * MEGABYTE))) {
        peaks.push(heldBuffers() - before);
      }
      bytes += chunk.length;
    }
    expect([bytes, received.digest('hex')]).toEqual([size, sent.digest('hex')]);
    expect(await gateway.db.manager.countBy(StoragePartEntity, { entryId: entry.id })).toBe(3);
    // Client and server together, and less than one of its three parts.
    expect(peaks.length).toBeGreaterThan(10);
    expect(Math.max(...peaks)).toBeLessThan(32 * MEGABYTE);
  }, 600_000);
});
