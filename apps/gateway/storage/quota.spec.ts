/** @needs weights, build */
import type { Usage } from '@adit/contracts';
import { WorkspaceEntity } from '@adit/database';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { EntityManager } from 'typeorm';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { Uploader } from '../testing/uploads.js';

let gateway: TestGateway;
let uploader: Uploader;

beforeAll(async () => {
  gateway = await startGateway({ storageBytes: 10_000 });
  uploader = await Uploader.of(gateway);
}, BOOT_MS);
afterAll(() => gateway?.close());

const tus = async (method: string, path: string, headers: Record<string, string>, body?: Uint8Array<ArrayBuffer>) => {
  const reply = await fetch(`${uploader.base}/v1/storage/uploads/${path}`, {
    method,
    headers: { ...uploader.headers, 'tus-resumable': '1.0.0', ...headers },
    ...(body && { body }),
  });
  const text = await reply.text();
  return {
    status: reply.status,
    headers: reply.headers,
    json: text === '' ? null : (JSON.parse(text) as Record<string, unknown>),
  };
};

describe('the quota of a workspace', () => {
  /** @hardening overload: Bodies never end, credentials are guessed, a quota is passed */
  it('uploads beyond the quota are refused with the remaining bytes, in one request and resumably', async () => {
    const first = await uploader.send(Buffer.alloc(6_000), 'a.bin', { query: '?folder=/q' });
    expect(first.status).toBe(200);
    expect((await gateway.ask('GET', '/api/v1/storage/usage/')).json()).toEqual({
      ...{ limit: 10_000, used: 6_000, free: 4_000, uploads: 6_000, transcripts: 0, recordings: 0 },
    });
    const second = await uploader.send(Buffer.alloc(5_000), 'b.bin', { query: '?folder=/q' });
    expect([second.status, second.body['code']]).toEqual([507, 'STORAGE_FULL']);
    expect(second.body['detail']).toBe(
      'The files, transcripts and recordings of this workspace may have 10000 bytes together; 4000 are left.',
    );
    const large = await uploader.send(Buffer.alloc(200_000), 'b.bin', { query: '?folder=/q' });
    expect(large.status).toBe(507);
    expect((await tus('POST', '?folder=/q&name=c.bin', { 'upload-length': '4001' })).status).toBe(507);
    // Announced bytes count before one of them has come.
    const begun = await tus('POST', '?folder=/q&name=c.bin', { 'upload-length': '4000' });
    expect(begun.status).toBe(201);
    expect((await uploader.send(Buffer.alloc(1), 'd.bin', { query: '?folder=/q' })).status).toBe(507);
    expect((await tus('DELETE', `${String(begun.json?.['id'])}/`, {})).status).toBe(204);
    // A file that replaces another needs no quota beside it.
    const again = await uploader.send(Buffer.alloc(4_000), 'a.bin', { query: '?folder=/q&if_exists=replace' });
    expect(again.status).toBe(200);
    expect((await uploader.send(Buffer.alloc(5_000), 'b.bin', { query: '?folder=/q' })).status).toBe(200);
    const instead = await tus('POST', '?folder=/q&name=a.bin&if_exists=replace', { 'upload-length': '5000' });
    expect(instead.status).toBe(201);
    expect((await tus('DELETE', `${String(instead.json?.['id'])}/`, {})).status).toBe(204);
    const beyond = await tus('POST', '?folder=/q&name=a.bin&if_exists=replace', { 'upload-length': '5001' });
    expect(beyond.status).toBe(507);
  });

  it('a workspace can have a quota of its own, or none', async () => {
    const workspace = { id: gateway.workspaceId };
    const use = async () => (await gateway.ask('GET', '/api/v1/storage/usage/')).json<{ used: number }>();
    const { used } = await use();
    await gateway.db.manager.update(WorkspaceEntity, workspace, { storageBytes: '100' });
    expect(await use()).toMatchObject({ limit: 100, used, free: 0 });
    await gateway.db.manager.update(WorkspaceEntity, workspace, { storageBytes: '20000' });
    const query = jest.spyOn(EntityManager.prototype, 'query');
    const sums = (): number => query.mock.calls.filter(([sql]) => sql.includes('sum(')).length;
    expect((await uploader.send(Buffer.alloc(12_000), 'e.bin', { query: '?folder=/own' })).status).toBe(507);
    expect(sums()).toBeGreaterThan(0);
    query.mockClear();
    await gateway.db.manager.update(WorkspaceEntity, workspace, { storageBytes: '0' });
    expect((await uploader.send(Buffer.alloc(12_000), 'e.bin', { query: '?folder=/own' })).status).toBe(200);
    // Nobody has to know then what the files have together: they may be millions.
    expect(sums()).toBe(0);
    query.mockRestore();
    expect(await use()).toMatchObject({ limit: null, free: null });
    expect((await use()).used).toBeGreaterThan(12_000);
  });

  it('a kind can have a quota of its own, of which two uploads at once have no more than is left', async () => {
    const { used } = (await gateway.ask('GET', '/api/v1/storage/usage/')).json<{ used: number }>();
    const limit = used + 1_000;
    const path = `/api/v1/workspaces/${gateway.workspaceId}/`;
    expect((await gateway.ask('PATCH', path, { quotas: { upload_bytes: limit, recording_bytes: 1 } })).status).toBe(
      200,
    );
    const both = await Promise.all(
      ['f', 'g'].map((name) => uploader.send(Buffer.alloc(600), `${name}.bin`, { query: '?folder=/kind' })),
    );
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 507]);
    expect(both.find(({ status }) => status === 507)?.body['detail']).toMatch(
      new RegExp(`^The uploaded files of this workspace may have ${limit} bytes \\(upload_bytes\\); \\d+ are left\\.$`),
    );
    const { quotas } = (await gateway.ask('GET', '/api/v1/usage/')).json<Usage>();
    expect(quotas).toEqual([
      { quota: 'upload_bytes', limit, used: used + 600, left: 400, time_reset: null },
      { quota: 'recording_bytes', limit: 1, used: 0, left: 1, time_reset: null },
    ]);
    await gateway.ask('PATCH', path, { quotas: { upload_bytes: null, recording_bytes: null } });
  });
});

describe('tus', () => {
  /** @hardening api: A client of tus cannot go on */
  it('takes PATCH and DELETE as POST with X-HTTP-Method-Override', async () => {
    const begun = await tus('POST', '?folder=/tus&name=a.bin', { 'upload-length': '5' });
    const path = `${String(begun.json?.['id'])}/`;
    const stream = { 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    const sent = await tus('POST', path, { ...stream, 'x-http-method-override': 'PATCH' }, new Uint8Array(5));
    expect([sent.status, sent.headers.get('upload-offset')]).toEqual([204, '5']);
    expect((await tus('POST', path, { 'x-http-method-override': 'DELETE' })).status).toBe(204);
    expect((await tus('HEAD', path, {})).status).toBe(404);
    // Nowhere else, and for nothing else.
    const elsewhere = await gateway.ask('POST', '/api/v1/jobs/x/', {}, { 'x-http-method-override': 'DELETE' });
    expect(elsewhere.status).toBe(405);
  });

  it.each([
    ['upload-concat', 'partial', 'Upload-Concat'],
    ['upload-defer-length', '1', 'Upload-Defer-Length'],
    ['upload-checksum', 'sha1 Kq5sNclPz7QV2+lfQIuc6R7oRu0=', 'Upload-Checksum'],
  ])('refuses %s by its name', async (name, value, shown) => {
    const { status, json } = await tus('POST', '?folder=/tus&name=b.bin', { [name]: value, 'upload-length': '5' });
    expect([status, json?.['code'], json?.['detail']]).toEqual([
      501,
      'not_implemented',
      expect.stringContaining(shown),
    ]);
  });
});
