/** @needs weights, build */
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AditApiError, AditClient, AditConnectionError } from '@adit/client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { BreakingProxy } from '../testing/breaking-proxy.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const MEGABYTE = 1 << 20;
/** Bytes in sockets, streams and the proxy when a connection breaks. */
const ON_ITS_WAY = 4 * MEGABYTE;
let gateway: TestGateway;
let proxy: BreakingProxy;
let adit: AditClient;

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.app.listen(0, '127.0.0.1');
}, BOOT_MS);
afterAll(() => gateway?.close());
beforeEach(async () => {
  proxy = await BreakingProxy.to(Number(new URL(await gateway.app.getUrl()).port));
  adit = new AditClient({ url: proxy.url, apiKey: gateway.key });
});
afterEach(() => proxy?.close());

async function fileOf(bytes: Buffer): Promise<Blob> {
  const path = join(gateway.dataDir, `${randomBytes(6).toString('hex')}.bin`);
  await writeFile(path, bytes);
  return openAsBlob(path, { type: 'video/mp4' });
}
const stored = async (id: number): Promise<Buffer> =>
  Buffer.from(await (await adit.storage.download(id)).arrayBuffer());

describe('a resumable upload of the client', () => {
  it('goes on where the service stands when the connection breaks, again and again', async () => {
    const bytes = randomBytes(24 * MEGABYTE + 13);
    const progress: number[] = [];
    proxy.breakAfter = [5 * MEGABYTE, 9 * MEGABYTE, 3 * MEGABYTE];
    const entry = await adit.storage.uploadResumably(await fileOf(bytes), {
      folder: '/client',
      name: 'naïve film.bin',
      onProgress: (sent, total) => {
        expect(total).toBe(bytes.length);
        progress.push(sent);
      },
    });
    expect(proxy.breakAfter).toEqual([]);
    expect(entry).toMatchObject({ name: 'naïve film.bin', file_size: bytes.length, uploaded: true });
    expect((await stored(entry.id)).equals(bytes)).toBe(true);
    expect(progress.at(-1)).toBe(bytes.length);
    // Each break sets the bar back to what has come, and costs no more than what was on its way.
    const back = progress.filter((sent, at) => at > 0 && sent <= progress[at - 1]!);
    expect(back.length).toBeLessThanOrEqual(3);
    expect(proxy.sent).toBeLessThan(bytes.length + 3 * ON_ITS_WAY);
  });

  it('is sent in pieces where the caller asks for them, and goes on inside a piece', async () => {
    const bytes = randomBytes(9 * MEGABYTE + 7);
    const progress: number[] = [];
    proxy.breakAfter = [4 * MEGABYTE];
    const entry = await adit.storage.uploadResumably(await fileOf(bytes), {
      ...{ folder: '/pieces', name: 'a.bin', pieceBytes: 3 * MEGABYTE },
      onProgress: (sent) => void progress.push(sent),
    });
    expect((await stored(entry.id)).equals(bytes)).toBe(true);
    expect(progress[0]).toBe(3 * MEGABYTE);
    expect(progress.at(-1)).toBe(bytes.length);
    expect(progress.length).toBeGreaterThanOrEqual(3);
    const again = await adit.storage.uploadResumably(await fileOf(bytes.subarray(0, 4)), {
      ...{ folder: '/pieces', name: 'a.bin', ifExists: 'rename', pieceBytes: 3 },
    });
    expect([again.name, (await stored(again.id)).equals(bytes.subarray(0, 4))]).toEqual(['a (1).bin', true]);
  });

  it('waits for a service that is away, and begins once although the first answer is lost', async () => {
    const bytes = randomBytes(MEGABYTE);
    proxy.swallowAnswers = 1;
    proxy.refuse = 2;
    const entry = await adit.storage.uploadResumably(await fileOf(bytes), { folder: '/away', name: 'a.bin' });
    expect((await stored(entry.id)).equals(bytes)).toBe(true);
    expect((await adit.storage.list('/away')).map(({ id }) => id)).toEqual([entry.id]);
  });

  it('gives up when nothing has moved for long, and is gone on with another day', async () => {
    const bytes = randomBytes(12 * MEGABYTE);
    const file = await fileOf(bytes);
    let begun = 0;
    proxy.breakAfter = [6 * MEGABYTE];
    const broken = adit.storage.uploadResumably(file, {
      folder: '/later',
      name: 'a.bin',
      patienceSeconds: 0,
      onBegun: (id) => (begun = id),
    });
    await expect(broken).rejects.toBeInstanceOf(AditConnectionError);
    const before = proxy.sent;
    const starts: number[] = [];
    const onProgress = (sent: number): void => void starts.push(sent);
    const entry = await adit.storage.uploadResumably(file, { resume: begun, onProgress });
    expect(entry).toMatchObject({ id: begun, uploaded: true });
    expect(starts[0]).toBeGreaterThan(256 * 1024);
    expect(proxy.sent - before).toBeLessThan(bytes.length);
    expect((await stored(begun)).equals(bytes)).toBe(true);
    // A complete upload is left as it is.
    expect(await adit.storage.uploadResumably(file, { resume: begun })).toEqual(entry);
    const other = await fileOf(bytes.subarray(1));
    await expect(adit.storage.uploadResumably(other, { resume: begun })).rejects.toThrow(RangeError);
  });

  it('an upload is refused at once where waiting would not help, and can be aborted and given up', async () => {
    const file = await fileOf(randomBytes(8 * MEGABYTE));
    const place = { folder: '/refused', name: 'a.bin' };
    await adit.storage.upload(new Blob(['x']), place);
    await expect(adit.storage.uploadResumably(file, place)).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
    expect(await adit.storage.uploadResumably(file, { ...place, ifExists: 'replace' })).toMatchObject({
      uploaded: true,
    });
    await expect(adit.storage.uploadResumably(file, { resume: 99_999 })).rejects.toBeInstanceOf(AditApiError);
    expect(await adit.storage.uploadResumably(new Blob([]), { name: 'empty' })).toMatchObject({ file_size: 0 });

    const given = new AbortController();
    let begun = 0;
    const aborted = adit.storage.uploadResumably(file, {
      ...{ folder: '/refused', name: 'b.bin', signal: given.signal, onBegun: (id) => (begun = id) },
      onProgress: () => given.abort(new Error('enough')),
    });
    await expect(aborted).rejects.toThrow('enough');
    expect(await adit.storage.get(begun)).toMatchObject({ uploaded: false });
    await adit.storage.abandon(begun);
    await expect(adit.storage.get(begun)).rejects.toMatchObject({ status: 404 });
  });

  it('says so when the file cannot be read any more', async () => {
    const path = join(gateway.dataDir, 'shrinks.bin');
    await writeFile(path, randomBytes(8 * MEGABYTE));
    const file = await openAsBlob(path);
    await truncate(path, 10);
    await expect(adit.storage.uploadResumably(file, { name: 'shrinks.bin' })).rejects.toThrow(/could not be read/);
  });
});
