/** @needs weights, build */
import { createHash, randomBytes } from 'node:crypto';
import { StorageEntry, StorageEntryV2, pageOf } from '@adit/contracts';
import { ObjectRemovalEntity, StorageEntryEntity, StorageRemovalEntity } from '@adit/database';
import type { ObjectStore } from '@adit/objects';
import { blackPng } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Like } from 'typeorm';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { storedSizes, Uploader } from '../testing/uploads.js';
import { FileRemovals } from '@adit/storage';

let gateway: TestGateway;
let uploader: Uploader;

beforeAll(async () => {
  gateway = await startGateway();
  uploader = await Uploader.of(gateway);
}, BOOT_MS);
afterAll(() => gateway?.close());

async function list(folder: string): Promise<StorageEntry[]> {
  const reply = await gateway.ask('GET', `/api/v1/storage?folder=${encodeURIComponent(folder)}`);
  return reply.json<unknown[]>().map((one) => StorageEntry.parse(one));
}

/** A file's download with other headers than the key. */
function download(id: unknown, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
  return fetch(`${uploader.base}/v1/storage/${id}/file/`, { method, headers: { ...uploader.headers, ...headers } });
}

describe('storage', () => {
  it('stores an upload, makes its folders, serves it whole and in ranges', async () => {
    const bytes = randomBytes(300_000);
    const { status, body } = await uploader.send(bytes, 'evening.mp4', { fields: { folder: '/news//2026/' } });
    expect(status).toBe(200);
    const entry = StorageEntry.parse(body);
    expect(entry).toMatchObject({ file_size: 300_000, name: 'evening.mp4', uploaded: true, upload_failed: false });
    expect(entry.url).toMatch(/^storage:\/\/[A-Za-z0-9_-]{20}$/);
    const row = await gateway.db.manager.findOneByOrFail(StorageEntryEntity, { id: entry.id });
    expect(row.digest).toBe(createHash('sha256').update(bytes).digest('hex'));
    expect(row.folder).toBe('/news/2026');
    expect(await list('/')).toMatchObject([
      { name: '/news', is_folder: true, url: null, file_size: null, uploaded: true },
    ]);
    expect(await list('/news/2026')).toEqual([entry]);

    const ranges: [string | undefined, number, Buffer][] = [
      [undefined, 200, bytes],
      ['bytes=0-9', 206, bytes.subarray(0, 10)],
      ['bytes=299990-', 206, bytes.subarray(299_990)],
      ['bytes=-5', 206, bytes.subarray(-5)],
      ['bytes=5-2', 200, bytes],
      ['bytes=0-1,4-5', 200, bytes],
    ];
    for (const [range, expected, part] of ranges) {
      const reply = await download(entry.id, range === undefined ? {} : { range });
      expect([range, reply.status]).toEqual([range, expected]);
      expect(Buffer.from(await reply.arrayBuffer()).equals(part)).toBe(true);
      expect(reply.headers.get('x-content-type-options')).toBe('nosniff');
    }
    const past = await download(entry.id, { range: 'bytes=300000-' });
    expect([past.status, past.headers.get('content-range')]).toEqual([416, 'bytes */300000']);
    expect(past.headers.get('content-type')).toMatch(/problem/);
    for (const range of [undefined, 'bytes=0-9']) {
      const head = await download(entry.id, range === undefined ? {} : { range }, 'HEAD');
      expect([head.status, head.headers.get('content-length')]).toEqual([200, '300000']);
    }
  });

  it('sends what a client has not: If-Range and If-None-Match', async () => {
    const { body } = await uploader.send(Buffer.from('0123456789'), 'digits.bin', { query: '?folder=/conditional' });
    const etag = (await download(body['id'], {}, 'HEAD')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]{20,}"$/);
    const range = 'bytes=2-3';
    const cases: [Record<string, string>, number, string][] = [
      [{ range, 'if-range': etag }, 206, '23'],
      [{ range, 'if-range': '"another"' }, 200, '0123456789'],
      [{ range, 'if-range': 'Wed, 21 Oct 2026 07:28:00 GMT' }, 200, '0123456789'],
      [{ 'if-none-match': '"another"' }, 200, '0123456789'],
      [{ 'if-none-match': `"another", W/${etag}` }, 304, ''],
      [{ 'if-none-match': '*' }, 304, ''],
    ];
    for (const [headers, status, text] of cases) {
      const reply = await download(body['id'], headers);
      expect([headers, reply.status, await reply.text()]).toEqual([headers, status, text]);
    }
  });

  /** @hardening privacy: A file is taken for what its name claims */
  it('says of a file what it is by its content, never by its name or what the client claims', async () => {
    const png = blackPng(8, 8);
    const query = '?folder=/kinds';
    const files: [string, Uint8Array, string, string, string | null, string][] = [
      ['picture.txt', png, 'text/plain', 'image/png', 'IMAGE', 'inline'],
      [
        'page.png',
        Buffer.from('<html><script>alert(1)</script>'),
        'image/png',
        'application/octet-stream',
        null,
        'attachment',
      ],
      ['page.html', Buffer.from('<html></html>'), 'text/html', 'text/html', null, 'attachment'],
      ['film.bin', Buffer.from('0000001866747970697336360000000069736f36', 'hex'), '', 'video/mp4', 'VIDEO', 'inline'],
      ['sound', Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'), '', 'audio/wav', 'AUDIO', 'inline'],
      ['tape', Buffer.from('FORM\0\0\0\x2eAIFFCOMM\0\0\0\x12', 'latin1'), '', 'audio/aiff', 'AUDIO', 'inline'],
      ['scan', Buffer.from('MM\0*\0\x10\0\0', 'latin1'), '', 'image/tiff', 'IMAGE', 'inline'],
      ['mail', Buffer.from('X-Note: 1\r\n\r\n%PDF-1.7\n1 0 obj\n'), '', 'application/pdf', null, 'attachment'],
      ['nothing.jpg', Buffer.alloc(0), 'image/jpeg', 'image/jpeg', 'IMAGE', 'inline'],
    ];
    for (const [name, bytes, type, shown, kind, disposition] of files) {
      const { body } = await uploader.send(bytes, name, { query, type });
      const reply = await download(body['id']);
      expect([name, reply.headers.get('content-type')]).toEqual([name, shown]);
      expect(reply.headers.get('content-disposition')).toMatch(new RegExp(`^${disposition};`));
      expect(reply.headers.get('content-security-policy')).toContain('sandbox');
      await reply.arrayBuffer();
      const second = (await gateway.ask('GET', `/api/v2/storage/${body['id']}/`)).json();
      expect([name, second['storage_type'], body['is_image']]).toEqual([name, kind, kind === 'IMAGE']);
    }
  });

  it('keeps names, and sends them so that no header can be forged with them', async () => {
    const names = ['naïve "quoted" 100%.mp4', 'Straße — 夜.mov', 'a;b=c.mp4', "it's (1).png"];
    for (const name of names) {
      const { status, body } = await uploader.send(Buffer.from('x'), 'f', {
        query: '?folder=/names',
        fields: { name },
      });
      expect([status, body['name']]).toEqual([200, name.normalize('NFC')]);
      const disposition = (await download(body['id'])).headers.get('content-disposition') ?? '';
      expect(disposition).toMatch(/^attachment; filename="[\x20-\x7e]*"; filename\*=UTF-8''[A-Za-z0-9%._~!$&+-]+$/);
      expect(decodeURIComponent(disposition.split("UTF-8''")[1] ?? '')).toBe(name);
    }
    expect((await list('/names')).map(({ name }) => name)).toEqual(names.toSorted());
  });

  it('has a second version of all of it: other shapes, pages', async () => {
    const query = '?folder=/second/deep';
    const files = ['a.bin', 'b.bin', 'c.bin'];
    for (const name of files) await uploader.send(Buffer.from(name), name, { query, version: 2 });
    const page = async (path: string) =>
      pageOf(StorageEntryV2).parse((await gateway.ask('GET', `/api/v2/storage${path}`)).json());
    const folders = await page('/?folder=/second');
    expect(folders).toMatchObject({ total: 1, offset: 0, limit: 10, next: null, prev: null });
    expect(folders.data).toMatchObject([{ name: '/second/deep', storage_type: 'FOLDER', url: null, file_size: null }]);
    const first = await page(`${query}&limit=2`);
    expect([first.total, first.data.map(({ name }) => name)]).toEqual([3, ['a.bin', 'b.bin']]);
    const second = await page(
      new URL(first.next ?? '').pathname.replace('/api/v2/storage', '') + new URL(first.next ?? '').search,
    );
    expect(second).toMatchObject({ offset: 2, next: null, data: [{ name: 'c.bin', uploaded: true }] });
    const { id, uploaded_at } = second.data[0]!;
    expect(Math.abs(Date.parse(uploaded_at ?? '') - Date.now())).toBeLessThan(600_000);
    expect((await gateway.ask('GET', `/api/v2/storage/${id}`)).json()).toEqual(second.data[0]);
    expect((await gateway.ask('GET', `/api/v2/storage/${id}/file/`)).text).toBe('c.bin');
    // One tree: the first version shows the same entry, in a plain list whatever is asked.
    const plain = (await gateway.ask('GET', `/api/v1/storage/${query}&offset=1&limit=1`)).json<unknown[]>();
    expect(plain.map((one) => StorageEntry.parse(one).name)).toEqual(['b.bin']);
    expect((await gateway.ask('DELETE', `/api/v2/storage/${id}/`)).json()).toEqual({ message: 'c.bin was deleted.' });
    expect((await gateway.ask('GET', `/api/v1/storage/${id}/`)).status).toBe(404);
  });

  /** @hardening api: Two files have one name */
  it('gives a name once: refuses a second file of it, or puts it in the place of the first', async () => {
    const query = '?folder=/once';
    const first = (await uploader.send(Buffer.from('first'), 'a.bin', { query })).body;
    const again = await uploader.send(Buffer.from('second'), 'a.bin', { query });
    expect([again.status, again.body['code']]).toEqual([409, 'CONFLICT']);
    expect(again.body['detail']).toContain(`/once/a.bin is there already (entry ${first['id']})`);
    expect(again.body['errors']).toMatchObject([{ code: 'exists', existing: first }]);
    // Fields before the file allow a refusal before the file is read.
    expect((await uploader.send(Buffer.from('second'), 'x', { query: `${query}&name=a.bin` })).status).toBe(409);
    expect(await list('/once')).toEqual([first]);
    for (const field of ['query', 'field']) {
      const fields: Record<string, string> = field === 'field' ? { if_exists: 'replace' } : {};
      const more = field === 'query' ? '&if_exists=replace' : '';
      const { status, body } = await uploader.send(Buffer.from(field), 'a.bin', { query: query + more, fields });
      expect([status, (await list('/once')).map(({ id }) => id)]).toEqual([200, [body['id']]]);
      expect(await (await download(body['id'])).text()).toBe(field);
    }
    expect((await download(first['id'])).status).toBe(404);
    const names: unknown[] = [];
    for (const where of [{ query: `${query}&if_exists=rename` }, { query, fields: { if_exists: 'rename' } }]) {
      names.push((await uploader.send(Buffer.from('x'), 'a.bin', where)).body['name']);
    }
    expect(names).toEqual(['a (1).bin', 'a (2).bin']);
    for (const entry of await list('/once')) {
      if (entry.name !== 'a.bin') await gateway.ask('DELETE', `/api/v1/storage/${entry.id}/`);
    }
    const wrong = await uploader.send(Buffer.from('x'), 'b.bin', { query: `${query}&if_exists=maybe` });
    expect([wrong.status, wrong.body['code']]).toEqual([400, 'VALIDATION']);
    // A file and a folder of one name cannot be told apart.
    expect((await uploader.send(Buffer.from('x'), 'b.bin', { query: '?folder=/once/a.bin' })).status).toBe(409);
    expect((await uploader.send(Buffer.from('x'), 'once', { query: '?folder=/' })).status).toBe(409);
    expect((await list('/once')).length).toBe(1);
  });

  it('lets one of two uploads of a name at once have it', async () => {
    const sent = Array.from({ length: 5 }, (_, index) =>
      uploader.send(Buffer.alloc(200_000, index), 'same.bin', { query: '?folder=/race/made/at/once' }),
    );
    const replies = await Promise.all(sent);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    const winner = replies.find(({ status }) => status === 200)?.body;
    expect(await list('/race/made/at/once')).toEqual([winner]);
    expect(await list('/race')).toHaveLength(1);
  });

  it('keeps a file that a job still needs, and removes a folder with all in it', async () => {
    const query = '?folder=/needed/deep';
    const { body } = await uploader.send(Buffer.from('not a film'), 'needed.mp4', { query });
    const posted = { sources: [String(body['url']).replace('storage', 'STORAGE')], modules: { face_recognition: {} } };
    const job = await gateway.ask('POST', '/api/v1/jobs/', posted);
    expect(job.status).toBe(200);
    const folder = (await list('/')).find(({ name }) => name === '/needed');
    for (const id of [body['id'], folder?.id]) {
      expect((await gateway.ask('DELETE', `/api/v1/storage/${id}/`)).status).toBe(409);
    }
    const replaced = await uploader.send(Buffer.from('x'), 'needed.mp4', { query: `${query}&if_exists=replace` });
    expect(replaced.status).toBe(409);
    await gateway.ask('DELETE', `/api/v1/jobs/${job.json()['id']}/`);
    const before = (await storedSizes(gateway)).length;
    expect((await gateway.ask('DELETE', `/api/v1/storage/${folder?.id}/`)).json()).toEqual({
      message: '/needed was deleted.',
    });
    expect((await storedSizes(gateway)).length).toBe(before - 1);
    expect(await gateway.db.manager.count(StorageRemovalEntity)).toBe(0);
    for (const path of [`${body['id']}/`, `${body['id']}/file/`, query]) {
      expect([path, (await gateway.ask('GET', `/api/v1/storage/${path}`)).status]).toEqual([path, 404]);
    }
  });

  it('a locked object does not hold up a deletion, and is deleted later', async () => {
    const { manager } = gateway.db;
    const locking = { delete: () => Promise.resolve(false), deletePrefix: () => Promise.resolve(true) };
    await manager.insert(StorageRemovalEntity, { objectKey: 'storage/w/locked' });
    await new FileRemovals(gateway.db, locking as unknown as ObjectStore).drain();
    expect(await manager.countBy(StorageRemovalEntity, {})).toBe(0);
    const noted = await manager.findBy(ObjectRemovalEntity, { prefix: Like('storage/w/locked%') });
    expect(noted.map(({ prefix }) => prefix).sort()).toEqual(['storage/w/locked', 'storage/w/locked/']);
    expect(noted.every(({ timeDue }) => timeDue.getTime() > Date.now())).toBe(true);
  });
});
