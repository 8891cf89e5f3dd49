/** @needs servers */
import { rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createServer as createTlsServer } from 'node:tls';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWith, ownServer, selfSignedCertificate, uniqueName } from '@adit/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { MinioConfig } from './config.js';
import { objectStoreConformance } from './conformance.js';
import { MinioObjectStore } from './minio.js';
import type { ObjectInfo } from './port.js';

type Server = Pick<MinioConfig, 'endpoint' | 'accessKey' | 'secretKey'>;

const open = (server: Server, more: Partial<MinioConfig> = {}) =>
  MinioObjectStore.open({
    driver: 'minio',
    endpoint: server.endpoint,
    accessKey: server.accessKey,
    secretKey: server.secretKey,
    bucket: uniqueName('bucket'),
    connectSeconds: 120,
    ...more,
  });

async function all(objects: AsyncIterable<ObjectInfo>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects) keys.push(key);
  return keys;
}

await describeWith('minio', 'MinIO', ({ minio }) => {
  objectStoreConformance('minio', async () => {
    const store = await open(minio);
    return { store, dispose: () => store.deletePrefix('').finally(() => store.close()) };
  });

  let store: MinioObjectStore;
  const bucket = uniqueName('bucket');
  beforeAll(async () => {
    store = await open(minio, { bucket });
  });
  afterAll(async () => {
    await store?.deletePrefix('');
    store?.close();
  });

  it('shares a bucket below a prefix', async () => {
    const [one, other] = await Promise.all(['one', 'other/'].map((prefix) => open(minio, { bucket, prefix })));
    await one!.put('a/b', Buffer.from('1'));
    await other!.put('a/b', Buffer.from('2'));
    expect((await one!.read('a/b')).toString()).toBe('1');
    expect(await all(store.list(''))).toEqual(['one/a/b', 'other/a/b']);
    await one!.deletePrefix('');
    expect(await all(one!.list(''))).toEqual([]);
    expect(await all(other!.list(''))).toEqual(['a/b']);
    for (const each of [one, other]) each!.close();
  });

  it('lists and deletes thousands, also keys that look like numbers', async () => {
    const keys = Array.from({ length: 1100 }, (_, index) => String(index).padStart(4, '0'));
    for (let at = 0; at < keys.length; at += 50) {
      await Promise.all(keys.slice(at, at + 50).map((key) => store.put(key, Buffer.from('x'))));
    }
    await store.put('1e5', Buffer.from('x'));
    expect((await all(store.list(''))).filter((key) => !key.includes('/'))).toEqual([...keys, '1e5']);
    await store.deletePrefix('0');
    expect(await all(store.list('0'))).toEqual([]);
    expect(await all(store.list('1'))).toHaveLength(101);
    await store.deletePrefix('1');
  });

  it('gives addresses that need no key for a while', async () => {
    await store.put('shared/picture', Buffer.from('picture'));
    const answer = await fetch(await store.presign('shared/picture', 60));
    expect(await answer.text()).toBe('picture');
    const late = await store.presign('shared/picture', 1);
    await sleep(2_100);
    expect((await fetch(late)).status).toBe(403);
    expect((await fetch(late.split('?')[0]!)).status).toBe(403);
    await expect(store.presign('shared/picture', 0)).rejects.toMatchObject({ code: 'VALIDATION' });
    await expect(store.presign('../etc', 60)).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('leaves no parts behind when a long stream breaks', async () => {
    const broken = Readable.from(
      (async function* () {
        for (let megabyte = 0; megabyte < 20; megabyte += 1) yield Buffer.alloc(1 << 20);
        throw new Error('the source broke off');
      })(),
    );
    await expect(store.put('broken/long', broken)).rejects.toThrow('the source broke off');
    expect(await all(store.list('broken/'))).toEqual([]);
    const { client } = (store as unknown as { connection: { client: import('minio').Client } }).connection;
    expect((await client.listIncompleteUploadsQuery(bucket, 'broken/', '', '', '')).uploads).toEqual([]);
  });

  it('makes its bucket once when several start at the same time, or says that it is not there', async () => {
    const fresh = uniqueName('bucket');
    await expect(open(minio, { bucket: fresh, manageBucket: false })).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining(`no bucket ${fresh}`),
    });
    for (const each of await Promise.all(Array.from({ length: 5 }, () => open(minio, { bucket: fresh })))) each.close();
  });

  it('says which keys are refused, and never the secret', async () => {
    const wrong = open({ ...minio, secretKey: 'wrong-secret' });
    await expect(wrong).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringMatching(/SignatureDoesNotMatch.*S3_SECRET_KEY/),
    });
    await expect(wrong).rejects.not.toThrow('wrong-secret');
    await expect(open({ ...minio, endpoint: `${minio.endpoint}/path` })).rejects.toMatchObject({ code: 'VALIDATION' });
  });

  it('is spoken to over TLS with a private authority', async () => {
    const { cert, key } = selfSignedCertificate(['127.0.0.1']);
    const { hostname, port } = new URL(minio.endpoint);
    const front = createTlsServer({ cert, key }, (socket) => {
      const upstream = connect(Number(port), hostname);
      socket.pipe(upstream).pipe(socket);
      for (const end of [socket, upstream]) end.on('error', () => end.destroy());
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const endpoint = `https://127.0.0.1:${(front.address() as AddressInfo).port}`;
    const caFile = join(tmpdir(), `adit-s3-ca-${process.pid}.pem`);
    await writeFile(caFile, cert);
    try {
      const secure = await open({ ...minio, endpoint }, { bucket, caFile });
      const body = Buffer.alloc(9 << 20, 7);
      await secure.put('secure/long', Readable.from([body]));
      expect((await secure.read('secure/long')).equals(body)).toBe(true);
      secure.close();
      await expect(open({ ...minio, endpoint }, { bucket, connectSeconds: 0 })).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('self-signed certificate'),
      });
    } finally {
      front.close();
      await rm(caFile, { force: true });
    }
  });

  it('is UNAVAILABLE when the server does not answer, and when it is not there', async () => {
    const silent = createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    await expect(open({ ...minio, endpoint }, { idleSeconds: 0.2, connectSeconds: 0 })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('no answer for 0.2 s'),
    });
    silent.close();
    await expect(open({ ...minio, endpoint: 'http://127.0.0.1:1' }, { connectSeconds: 0 })).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('127.0.0.1:1 cannot be reached'),
    });
  });

  it('waits for a reader that is slower than its patience with the server', async () => {
    await store.put('slow/read', Buffer.alloc(24 << 20, 1));
    const impatient = await open(minio, { bucket, idleSeconds: 2 });
    const stream = await impatient.get('slow/read');
    await sleep(4_000);
    expect((await buffer(stream)).length).toBe(24 << 20);
    impatient.close();
  });
});

const own = await ownServer('minio');
await describeWith('minio', 'MinIO that is stopped and started', () => {
  if ('reason' in own) {
    it(`is not tested on a given server (${own.reason})`, () => expect(own.reason).not.toBe(''));
    return;
  }
  afterAll(() => own.remove());

  it('fails what runs as UNAVAILABLE and goes on when it is back', async () => {
    const store = await open(own);
    await store.put('kept', Buffer.alloc(48 << 20, 1));
    const reading = await store.get('kept');
    // It may break before anybody reads it.
    reading.on('error', () => undefined);
    await own.kill();
    await expect(buffer(reading)).rejects.toMatchObject({ code: 'UNAVAILABLE', retryable: true });
    const calls = [store.read('kept'), store.stat('kept'), store.put('new', Buffer.from('x')), store.ping()];
    for (const call of await Promise.allSettled(calls)) {
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE', retryable: true } });
    }
    const starting = own.start();
    const waited = await open(own, { connectSeconds: 120 });
    await starting;
    waited.close();
    await store.put('new', Buffer.from('x'));
    expect(await store.stat('kept')).toMatchObject({ size: 48 << 20 });
    store.close();
  });
});
