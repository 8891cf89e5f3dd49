/** @needs servers */
import { describeWith, uniqueName } from '@adit/testing';
import { expect, it } from '@jest/globals';
import { Client } from 'minio';
import { AssumeRoleProvider } from 'minio/dist/esm/AssumeRoleProvider.mjs';
import { MinioObjectStore } from './minio.js';
import { keepingWarning } from './minio-versions.js';

/** Permissions that a key needs for a bucket whatever it keeps. */
const ALLOWED = [
  's3:ListBucket',
  's3:ListBucketVersions',
  's3:GetBucketVersioning',
  's3:GetBucketObjectLockConfiguration',
  's3:GetObject',
  's3:PutObject',
  's3:DeleteObject',
  's3:DeleteObjectVersion',
];

type Opened = { connection: { client: Client } };

await describeWith('minio', 'a key that may not do everything', ({ minio }) => {
  const config = (bucket: string) => ({ driver: 'minio', ...minio, bucket, connectSeconds: 120 }) as const;
  const at = new URL(minio.endpoint);
  const place = { endPoint: at.hostname, port: Number(at.port), useSSL: at.protocol === 'https:', region: 'us-east-1' };
  const root = new Client({ ...place, accessKey: minio.accessKey, secretKey: minio.secretKey });

  /** A client whose session may do all but these, to this bucket alone. */
  async function clientWithout(bucket: string, denied: string[]): Promise<Client> {
    const Resource = [`arn:aws:s3:::${bucket}`, `arn:aws:s3:::${bucket}/*`];
    const Action = ALLOWED.filter((action) => !denied.includes(action));
    const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource }] };
    const { accessKey, secretKey } = minio;
    const provider = new AssumeRoleProvider({
      ...{ stsEndpoint: minio.endpoint, accessKey, secretKey, durationSeconds: 3600, action: 'AssumeRole' },
      policy: JSON.stringify(policy),
    });
    const session = await provider.getCredentials();
    return new Client({
      ...place,
      accessKey: session.getAccessKey(),
      secretKey: session.getSecretKey(),
      sessionToken: session.getSessionToken(),
      retryOptions: { disableRetry: true },
    });
  }

  /** A store with two versions of an object, in a bucket that keeps them, as a key without some rights sees it. */
  async function versioned(...denied: string[]) {
    const bucket = uniqueName('bucket');
    const store = await MinioObjectStore.open(config(bucket));
    await root.setBucketVersioning(bucket, { Status: 'Enabled' });
    for (const text of ['one', 'two']) await store.put('media/face', Buffer.from(text));
    const client = await clientWithout(bucket, denied);
    // The settings know no sessions, and the admin's way to make users is a protocol of its own.
    Object.assign((store as unknown as Opened).connection, { client });
    return { store, bucket, client };
  }

  /** Versions of objects, and marks of deletions. */
  async function inBucket(bucket: string): Promise<{ versions: number; marks: number }> {
    const kept = { versions: 0, marks: 0 };
    const entries: AsyncIterable<{ isDeleteMarker?: boolean }> = root.listObjects(bucket, '', true, {
      IncludeVersion: true,
    });
    for await (const { isDeleteMarker } of entries) kept[isDeleteMarker === true ? 'marks' : 'versions'] += 1;
    return kept;
  }

  const warning = (client: Client, bucket: string) => keepingWarning({ client, place: at.host }, bucket);
  const deletions = [
    ['by its name', (store: MinioObjectStore) => store.delete('media/face')],
    ['with its folder', (store: MinioObjectStore) => store.deletePrefix('media/')],
  ] as const;

  it.each(deletions)('a key deletes an object %s with its versions where it may', async (_, deleted) => {
    const { store, bucket, client } = await versioned();
    expect(await warning(client, bucket)).toMatch(/keeps versions/);
    expect(await deleted(store)).toBe(true);
    expect(await inBucket(bucket)).toEqual({ versions: 0, marks: 0 });
    store.close();
  });

  /** The same, as a key with all rights sees it. */
  async function deletedWithAll(store: MinioObjectStore, bucket: string): Promise<void> {
    Object.assign((store as unknown as Opened).connection, { client: await clientWithout(bucket, []) });
    expect(await store.deletePrefix('media/')).toBe(true);
    expect(await inBucket(bucket)).toEqual({ versions: 0, marks: 0 });
    store.close();
  }

  it.each(deletions)(
    'a key that may delete no version says %s that it stays, and nobody finds it',
    async (_, deleted) => {
      const { store, bucket } = await versioned('s3:DeleteObjectVersion');
      // Asked again, as the sweeper does, it piles up no marks.
      for (let times = 0; times < 3; times += 1) expect(await deleted(store)).toBe(false);
      expect(await store.stat('media/face')).toBeNull();
      expect(await inBucket(bucket)).toEqual({ versions: 2, marks: 1 });
      await deletedWithAll(store, bucket);
    },
  );

  it('a key that may list nothing says of an object that it stays, and nobody finds it', async () => {
    // MinIO lets whoever lists objects list their versions too.
    const { store, bucket } = await versioned('s3:ListBucketVersions', 's3:ListBucket');
    for (let times = 0; times < 3; times += 1) expect(await store.delete('media/face')).toBe(false);
    expect(await inBucket(bucket)).toEqual({ versions: 2, marks: 1 });
    await expect(store.deletePrefix('media/')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await deletedWithAll(store, bucket);
  });

  it.each(deletions)('a key that may delete nothing fails %s as UNAVAILABLE, and ends', async (_, deleted) => {
    const { store, bucket } = await versioned('s3:DeleteObject', 's3:DeleteObjectVersion');
    await expect(deleted(store)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect((await store.read('media/face')).toString()).toBe('two');
    expect(await inBucket(bucket)).toEqual({ versions: 2, marks: 0 });
    store.close();
  });

  it('a key that may not ask about versions is reported before anything is erased', async () => {
    const { store, bucket, client } = await versioned('s3:GetBucketVersioning');
    expect(await warning(client, bucket)).toMatch(/may not ask .*allow it GetBucketVersioning/);
    expect(await store.delete('media/face')).toBe(true);
    expect(await store.stat('media/face')).toBeNull();
    expect(await inBucket(bucket)).toEqual({ versions: 2, marks: 1 });
    store.close();
  });
});
