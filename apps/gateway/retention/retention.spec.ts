import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ErasureSubject, Job, Retention, RetentionHolds, RetentionUpcoming } from '@adit/contracts';
import {
  AuditEntryEntity,
  ErasureEntity,
  inTransaction,
  JobEntity,
  JobSourceEntity,
  StorageEntryEntity,
} from '@adit/database';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { In } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import { holdInTheWay } from '../erasures/held-traces.js';
import { removeReceipts } from '../erasures/receipts.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const PATH = '/api/v1/retention/';
const DAY = 86_400;

let gateway: TestGateway;
let member: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway({ auditDays: 30 });
  const made = await gateway.ask('POST', '/api/v1/api-keys/', { name: 'member', role: 'member' });
  member = { authorization: `Key ${made.json<{ key: string }>().key}` };
}, BOOT_MS);
afterEach(async () => {
  await gateway.ask('PUT', PATH, {});
  const { tags } = (await gateway.ask('GET', `${PATH}holds/`)).json<{ tags: string[] }>();
  for (const tag of tags) await gateway.ask('DELETE', `${PATH}holds/${encodeURIComponent(tag)}/`);
});
afterAll(() => gateway?.close());

const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);

async function ended(tag: string, sources = ['https://example.org/film.mp4']): Promise<string> {
  const order = { sources, modules: { face_recognition: {} }, tag };
  const { id } = (await gateway.ask('POST', '/api/v1/jobs/', order)).json<Job>();
  expect((await gateway.ask('POST', `/api/v1/jobs/${id}/stop/`)).status).toBe(200);
  return id;
}

async function stored(name: string, timeUploaded: Date): Promise<{ id: number; key: string }> {
  const key = randomUUID().replaceAll('-', '').slice(0, 20);
  const entry = { workspaceId: gateway.workspaceId, folder: '/', name, isFolder: false, key, size: '1' };
  const row = await gateway.db.manager.insert(StorageEntryEntity, { ...entry, uploaded: true, timeUploaded });
  return { id: row.identifiers[0]?.['id'], key };
}

const hold = (tag: string) => gateway.ask('POST', `${PATH}holds/`, { tag });

describe('the retention of a workspace', () => {
  it('is replaced by an admin, read by members, and audited', async () => {
    const replaced = await gateway.ask('PUT', PATH, { observations: DAY, results: 90 * DAY });
    expect(replaced.status).toBe(200);
    const shown = (await gateway.ask('GET', PATH, undefined, member)).json<Retention>();
    expect(shown).toMatchObject({ observations: DAY, results: 90 * DAY, artifacts: null, pending: ['observations'] });
    expect(shown.defaults).toMatchObject({
      observations: 7 * DAY,
      results: null,
      artifacts: 7 * DAY,
      audit_lines: 30 * DAY,
    });
    // What a reply carries may be sent back.
    expect((await gateway.ask('PUT', PATH, shown)).status).toBe(200);
    expect((await gateway.ask('PUT', PATH, { results: DAY }, member)).status).toBe(403);
    await gateway.app.get(AuditLog).flush();
    const lines = await gateway.ask('GET', '/api/v1/audit-log/?resource=retention');
    expect(lines.json<{ data: unknown[] }>().data).toContainEqual(
      expect.objectContaining({ action: 'replaced', fields: ['observations', 'results'] }),
    );
  });

  it.each([
    ['results', 3_599, /at least 3600 seconds/],
    ['results', 1e12, /at most 1576800000 seconds/],
    ['results', 1.5, /int/],
  ])('is refused where %s is %d', async (kind, seconds, message) => {
    const answer = await gateway.ask('PUT', PATH, { [kind]: seconds });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(message);
  });

  it('says what goes next', async () => {
    const [soon, later] = [await ended('upcoming'), await ended('upcoming')];
    await gateway.db.manager.update(JobEntity, { id: soon }, { timeCompleted: ago(10 * DAY - 3_600) });
    const file = await stored('soon.mp4', ago(10 * DAY - 3_600));
    await stored('late.mp4', ago(DAY));
    await gateway.ask('PUT', PATH, { results: 10 * DAY, uploads: 10 * DAY });
    const asked = async (query = '') =>
      (await gateway.ask('GET', `${PATH}upcoming/${query}`, undefined, member)).json<RetentionUpcoming>().kinds;
    const of = async (kind: string, query?: string) => (await asked(query)).find((one) => one.kind === kind);
    expect(await of('uploads')).toMatchObject({
      count: 1,
      is_partial: false,
      first: [{ id: String(file.id), name: 'soon.mp4' }],
    });
    expect(await of('results')).toMatchObject({ count: 1, first: [{ id: soon, name: 'upcoming' }] });
    expect((await of('results', '?within_hours=720'))?.first.map(({ id }) => id)).toContain(later);
    await hold('upcoming');
    expect(await of('results')).toMatchObject({ count: 0, first: [] });
    expect((await gateway.ask('GET', `${PATH}upcoming/?within_hours=721`)).status).toBe(400);
  });

  it('removes lines of the audit log and receipts in steps', async () => {
    const { db, workspaceId } = gateway;
    const line = { workspaceId, actorKind: 'api-key', actorId: 'a', actorName: 'a', requestId: 'a' } as const;
    const lines = [20 * DAY, 5 * DAY].map((age) => ({ ...line, time: ago(age), action: 'tested', resource: 'aged' }));
    await db.manager.insert(
      AuditEntryEntity,
      lines.map((one) => ({ ...one, resourceId: null, fields: [] })),
    );
    const receipt = { workspaceId, actorKind: 'api-key', actorId: 'a', actorName: 'a', requestId: 'a' } as const;
    for (const age of [20 * DAY, 5 * DAY]) {
      const times = { timeCreated: ago(age), timeCompleted: ago(age) };
      await db.manager.insert(ErasureEntity, { id: randomUUID(), subject: {}, ...receipt, ...times });
    }
    await gateway.ask('PUT', PATH, { audit_lines: 10 * DAY, receipts: 10 * DAY });
    const left = async (auditDays: number) => {
      await new AuditLog(db, { auditDays }).flush();
      return db.manager.countBy(AuditEntryEntity, { resource: 'aged' });
    };
    // A workspace keeps them for longer than the installation, never for less.
    expect([await left(30), await left(1)]).toEqual([2, 1]);
    expect([await removeReceipts(db), await removeReceipts(db)]).toEqual([1, 0]);
  });
});

describe('a legal hold', () => {
  it('is set by an admin for any tag, and lifted', async () => {
    expect((await hold('case 4711/b')).json()).toEqual({ tags: ['case 4711/b'] });
    expect((await hold('a')).json()).toEqual({ tags: ['a', 'case 4711/b'] });
    expect((await gateway.ask('GET', `${PATH}holds/`, undefined, member)).json()).toEqual({
      tags: ['a', 'case 4711/b'],
    });
    const path = `${PATH}holds/case%204711%2Fb/`;
    expect((await gateway.ask('DELETE', path, undefined, member)).status).toBe(403);
    expect((await gateway.ask('DELETE', path)).json()).toEqual({ tags: ['a'] });
    expect((await gateway.ask('DELETE', path)).status).toBe(404);
  });

  it('is of a tag as it is, with its spaces', async () => {
    const held = await ended(' spaced ');
    expect((await hold(' spaced ')).json<RetentionHolds>().tags).toContain(' spaced ');
    expect((await gateway.ask('DELETE', `/api/v1/jobs/${held}/`)).status).toBe(409);
    expect((await gateway.ask('DELETE', `${PATH}holds/%20spaced%20/`)).status).toBe(200);
    expect((await gateway.ask('DELETE', `/api/v1/jobs/${held}/`)).status).toBe(200);
  });

  /** @hardening privacy: What is under a legal hold is deleted */
  it('refuses the deletion of its jobs, of the files that they mined, and erasures of these', async () => {
    const file = await stored('held.mp4', ago(0));
    const held = await ended('case', [`storage://${file.key}`]);
    const free = await ended('no case');
    await hold('case');
    const refused = await gateway.ask('DELETE', `/api/v1/jobs/${held}/`);
    expect(refused.status).toBe(409);
    expect(refused.text).toMatch(/legal hold by the tag case.*retention\/holds\/case/);
    expect((await gateway.ask('DELETE', `/api/v1/jobs/?ids=${held},${free}`)).json()).toEqual({
      ids: [free],
      held: [held],
      more: false,
    });
    expect((await gateway.ask('DELETE', '/api/v1/jobs/?tag=case')).json()).toEqual({ ids: [], held: [], more: false });
    expect((await gateway.ask('DELETE', `/api/v1/storage/${file.id}/`)).text).toMatch(/legal hold/);
    const erasure = { file_uri: `storage://${file.key}` };
    const erased = await gateway.ask('POST', '/api/v1/erasures/', erasure);
    expect([erased.status, erased.text]).toEqual([409, expect.stringMatching(/legal hold by the tag case/)]);
    await gateway.ask('DELETE', `${PATH}holds/case/`);
    expect((await gateway.ask('POST', '/api/v1/erasures/', erasure)).status).toBe(200);
    expect((await gateway.ask('DELETE', `/api/v1/jobs/${held}/`)).status).toBe(200);
  });

  it('refuses erasures of what is cached of media that its jobs mined too, under another address', async () => {
    const { manager } = gateway.db;
    const file = await stored('copy.mp4', ago(0));
    const free = await ended('no case', [`storage://${file.key}`]);
    const held = await ended('twin', ['https://example.org/original.mp4']);
    const mediaDigest = 'd'.repeat(64);
    await manager.update(JobSourceEntity, { jobId: In([free, held]) }, { mediaDigest });
    const indexId = '4711000001';
    await manager.query(
      `INSERT INTO segments (job_id, seq, module_id, module_seq, source_index, type, label, confidence, time_start, time_end, meta, detections, index_id)
       VALUES ($1, 0, 'face_recognition', 0, 0, 'face', 'Ada', 0.9, 0, 1, '{}', '[]', $2)`,
      [free, indexId],
    );
    await hold('twin');
    const erasure = { file_uri: `storage://${file.key}` };
    expect((await gateway.ask('POST', '/api/v1/erasures/', erasure)).text).toMatch(`The job ${held}`);
    const obstacle = (subject: ErasureSubject) =>
      inTransaction(gateway.db, (tx) => holdInTheWay(tx, gateway.workspaceId, subject));
    expect((await obstacle({ index_id: indexId, merged: [] }))?.message).toMatch(`The job ${held}`);
    expect(await obstacle({ index_id: '4711000002', merged: [] })).toBeNull();
    await gateway.ask('DELETE', `${PATH}holds/twin/`);
    expect((await gateway.ask('POST', '/api/v1/erasures/', erasure)).status).toBe(200);
  });

  it('stops an erasure that began before it, whose receipt says so', async () => {
    const file = await stored('mined.mp4', ago(0));
    const order = { sources: [`storage://${file.key}`], modules: { face_recognition: {} }, tag: 'late' };
    const { id } = (await gateway.ask('POST', '/api/v1/jobs/', order)).json<Job>();
    const begun = await gateway.ask('POST', '/api/v1/erasures/', { file_uri: `storage://${file.key}` });
    expect(begun.json()).toMatchObject({ state: 'processing', obstacle: null });
    await hold('late');
    await gateway.ask('POST', `/api/v1/jobs/${id}/stop/`);
    const path = `/api/v1/erasures/${begun.json<{ id: string }>().id}/`;
    expect((await gateway.ask('GET', path)).json()).toMatchObject({
      state: 'processing',
      obstacle: expect.stringMatching(/legal hold by the tag late/),
    });
  });

  it('keeps its workspace', async () => {
    const made = await gateway.ask('POST', '/api/v1/workspaces/', { name: 'held' });
    const { id, key } = made.json<{ id: string; key: string }>();
    const headers = { authorization: `Key ${key}` };
    const order = { sources: ['https://example.org/a.mp4'], modules: { face_recognition: {} }, tag: 'case' };
    await gateway.ask('POST', '/api/v1/jobs/', order, headers);
    await gateway.ask('POST', `${PATH}holds/`, { tag: 'case' }, headers);
    const refused = await gateway.ask('DELETE', `/api/v1/workspaces/${id}/`);
    expect([refused.status, refused.text]).toEqual([409, expect.stringMatching(/legal hold/)]);
    await gateway.ask('DELETE', `${PATH}holds/case/`, undefined, headers);
    let erased = await gateway.ask('DELETE', `/api/v1/workspaces/${id}/`);
    for (; erased.status === 409; erased = await gateway.ask('DELETE', `/api/v1/workspaces/${id}/`)) await sleep(50);
    expect(erased.status).toBe(200);
  });
});
