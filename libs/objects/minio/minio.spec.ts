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
import type { MinioConfig } from '../config.js';
import { objectStoreConformance } from '../conformance.js';
import { MinioObjectStore } from './minio.js';
import { objectsWarning } from '../objects.module.js';
import type { ObjectInfo } from '../port.js';

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

function clientOf(store: MinioObjectStore): import('minio').Client {
  return (store as unknown as { connection: { client: import('minio').Client } }).connection.client;
}

async function all(objects: AsyncIterable<ObjectInfo>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects) keys.push(key);
  return keys;
}

await describeWith('minio', 'MinIO', ({ minio }) => {
  objectStoreConformance('minio', async () => {
    const store = await open(minio);
    const dispose = async () => {
      await store.deletePrefix('');
      store.close();
    };
    return { store, dispose };
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
    expect((await clientOf(store).listIncompleteUploadsQuery(bucket, 'broken/', '', '', '')).uploads).toEqual([]);
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

  it('a private authority secures the connection by TLS', async () => {
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

  it('a server that does not answer, or is not there, is UNAVAILABLE', async () => {
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

await describeWith('minio', 'MinIO with a bucket that keeps versions', ({ minio }) => {
  /** Versions and marks of deletions, by the name in the bucket. */
  const versionsIn = async (store: MinioObjectStore, bucket: string): Promise<string[]> => {
    const names: string[] = [];
    const versions: AsyncIterable<{ name?: string }> = clientOf(store).listObjects(bucket, '', true, {
      IncludeVersion: true,
    });
    for await (const { name = '' } of versions) names.push(name);
    return names;
  };
  const versioned = async () => {
    const bucket = uniqueName('bucket');
    const store = await open(minio, { bucket });
    await clientOf(store).setBucketVersioning(bucket, { Status: 'Enabled' });
    return { store, bucket };
  };

  objectStoreConformance('minio with versions', async () => {
    const { store, bucket } = await versioned();
    return {
      store,
      dispose: async () => {
        await store.deletePrefix('');
        expect(await versionsIn(store, bucket)).toEqual([]);
        store.close();
      },
    };
  });

  it('deletes all versions of what is deleted, more than a page of them, and nothing else', async () => {
    const { store, bucket } = await versioned();
    for (const key of ['a', 'a', 'a/b', 'b']) await store.put(key, Buffer.from(key));
    // Deletes like a process of an earlier build.
    await clientOf(store).removeObject(bucket, 'a!');
    expect(await versionsIn(store, bucket)).toHaveLength(5);
    await store.delete('a');
    expect((await versionsIn(store, bucket)).sort()).toEqual(['a/b!', 'b!']);
    for (let at = 0; at < 1_040; at += 40) {
      await Promise.all(Array.from({ length: 40 }, (_, one) => store.put(`many/${at + one}`, Buffer.from('x'))));
    }
    await store.put('many/7', Buffer.from('y'));
    expect(await store.deletePrefix('many/')).toBe(true);
    await store.deletePrefix('a/');
    expect(await versionsIn(store, bucket)).toEqual(['b!']);
    await store.deletePrefix('');
    store.close();
  });

  it('deletes also those from before they were suspended', async () => {
    const { store, bucket } = await versioned();
    await store.put('a', Buffer.from('1'));
    await clientOf(store).setBucketVersioning(bucket, { Status: 'Suspended' });
    await store.put('a', Buffer.from('2'));
    expect(await versionsIn(store, bucket)).toHaveLength(2);
    await store.delete('a');
    expect(await versionsIn(store, bucket)).toEqual([]);
    store.close();
  });

  it('says that what is locked stays, which nobody finds, and deletes it when it is asked again after that', async () => {
    const bucket = uniqueName('bucket');
    const maker = await open(minio);
    await clientOf(maker).makeBucket(bucket, 'us-east-1', { ObjectLocking: true });
    maker.close();
    const store = await open(minio, { bucket });
    for (const key of ['held/face', 'held/face', 'held/other']) await store.put(key, Buffer.from(key));
    const client = clientOf(store);
    await client.setObjectLegalHold(bucket, 'held/face!', { status: 'ON' });
    const { versionId } = await client.statObject(bucket, 'held/face!');
    for (const deleted of [() => store.delete('held/face'), () => store.deletePrefix('held/')]) {
      expect(await deleted()).toBe(false);
      expect(await store.stat('held/face')).toBeNull();
      expect(await all(store.list('held/f'))).toEqual([]);
    }
    expect(new Set(await versionsIn(store, bucket))).toEqual(new Set(['held/face!']));
    await client.setObjectLegalHold(bucket, 'held/face!', { status: 'OFF', versionId: versionId ?? '' });
    expect(await store.deletePrefix('held/')).toBe(true);
    expect(await versionsIn(store, bucket)).toEqual([]);
    store.close();
  });

  it('a bucket with versions or locks is reported before anything is erased', async () => {
    const warningOf = async (bucket: string) => {
      const config = { driver: 'minio', ...minio, bucket, connectSeconds: 120 } as const;
      return objectsWarning(config);
    };
    const { store, bucket } = await versioned();
    const [plain, locking] = [uniqueName('bucket'), uniqueName('bucket')];
    await clientOf(store).makeBucket(plain);
    await clientOf(store).makeBucket(locking, 'us-east-1', { ObjectLocking: true });
    expect(await warningOf(plain)).toBeNull();
    expect(await warningOf(bucket)).toMatch(/keeps versions.*DeleteObjectVersion/);
    expect(await warningOf(locking)).toMatch(/object lock.*receipts/);
    store.close();
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
