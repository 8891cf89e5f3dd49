/** @needs weights, servers */
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describeWith, RawBucket, uniqueName } from '@adit/testing';
import { describe, expect, it } from '@jest/globals';
import type { ForeignObjects } from './foreign-objects.js';
import { openForeignObjects } from './open-foreign-objects.js';

async function listed(objects: ForeignObjects): Promise<Map<string, { size: number; tag: string }>> {
  const found = new Map<string, { size: number; tag: string }>();
  for await (const { name, size, tag } of objects.list()) found.set(name, { size, tag });
  return found;
}

/** Names that no key of Adit's has. */
const STRANGE = ['a b/ü & <x>.txt', "it's (1)/100%.bin", 'plus+minus/~tilde'];

describe('a folder of other people', () => {
  it('objects are read by their own names, without links', async () => {
    const root = await mkdtemp(join(tmpdir(), 'adit-foreign-'));
    for (const name of [...STRANGE, 'm/1/model.onnx']) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), name);
    }
    await symlink('/etc/passwd', join(root, 'm/passwd'));
    await symlink('/etc', join(root, 'etc'));
    const objects = await openForeignObjects(pathToFileURL(root).href, null);
    const before = await listed(objects);
    expect([...before.keys()].sort()).toEqual([...STRANGE, 'm/1/model.onnx'].sort());
    for (const name of STRANGE) expect(await text(await objects.get(name))).toBe(name);
    await expect(objects.get('m/passwd')).rejects.toThrow();
    await expect(objects.get('m/none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // Same length: only its tag can tell.
    await writeFile(join(root, 'm/1/model.onnx'), 'M/1/model.onnx');
    expect((await listed(objects)).get('m/1/model.onnx')).not.toEqual(before.get('m/1/model.onnx'));
    await rm(root, { recursive: true });
    await expect(listed(objects)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('objects need an address', async () => {
    for (const address of ['/srv/models', 'http://host/bucket', 's3://x', 's3://bucket/../other', 'file://host/x']) {
      await expect(openForeignObjects(address, null)).rejects.toMatchObject({ code: 'VALIDATION' });
    }
    await expect(openForeignObjects('s3://bucket', null)).rejects.toMatchObject({ code: 'VALIDATION' });
  });
});

it('names are read from a server that does not escape them, as it was asked to', async () => {
  const entry = (name: string) => `<Contents><Key>${name}</Key><Size>1</Size><ETag>"t"</ETag></Contents>`;
  const escaped = ['a b/\u00fc &amp; &lt;x&gt;.txt', 'it&#39;s (1)/100%.bin', 'plus+minus/~tilde&#x21;'];
  const server = createServer((request, response) => {
    const isLast = request.url?.includes('start-after') ?? false;
    response.end(`<ListBucketResult>${isLast ? '' : escaped.map(entry).join('')}</ListBucketResult>`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const objects = await openForeignObjects('s3://bucket/', { endpoint, accessKey: 'a', secretKey: 'secret-secret' });
  expect([...(await listed(objects)).keys()]).toEqual([...STRANGE.slice(0, 2), 'plus+minus/~tilde!']);
  server.close();
  server.closeAllConnections();
});

await describeWith('minio', 'a bucket of others', ({ minio }) => {
  it('objects are read by their own names, below the prefix', async () => {
    const bucket = await RawBucket.make(minio, uniqueName('foreign'));
    for (const name of STRANGE) await bucket.put(`models/${name}`, name);
    await bucket.put('models-of-others/1', 'x');
    const objects = await openForeignObjects(`s3://${bucket.name}/models/`, minio);
    const before = await listed(objects);
    expect([...before.keys()].sort()).toEqual([...STRANGE].sort());
    for (const name of STRANGE) expect(await text(await objects.get(name))).toBe(name);
    await expect(objects.get('none')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await bucket.put(`models/${STRANGE[0]}`, STRANGE[0]!.toUpperCase());
    expect((await listed(objects)).get(STRANGE[0]!)?.tag).not.toBe(before.get(STRANGE[0]!)?.tag);
    objects.close();
  });

  it('objects are read page by page', async () => {
    const bucket = await RawBucket.make(minio, uniqueName('foreign'));
    const names = Array.from({ length: 1_005 }, (_, at) => `m ${String(at).padStart(4, '0')}`);
    for (let at = 0; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map((name) => bucket.put(name, name)));
    }
    const objects = await openForeignObjects(`s3://${bucket.name}`, minio);
    expect([...(await listed(objects)).keys()]).toEqual(names);
    objects.close();
  });

  it('a missing or unreadable bucket is reported', async () => {
    const none = await openForeignObjects(`s3://${uniqueName('none')}`, minio);
    await expect(listed(none)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const refused = await openForeignObjects(`s3://${uniqueName('none')}`, { ...minio, secretKey: 'wrong-wrong' });
    await expect(listed(refused)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
