/** @needs weights, build */
import { Job, JobPage, Problem } from '@adit/contracts';
import { ApiKeyEntity, DATABASE, WorkspaceEntity, type Database } from '@adit/database';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { Bootstrap } from './index.js';
import { startGateway, type TestGateway } from './testing/gateway.js';

const photo = sampleMedia().groups['sample1'] as string;
const request = { sources: [photo], modules: { face_recognition: {} } };
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ localRoots: [dirname(photo)], trustProxy: ['127.0.0.1'] });
});
afterAll(() => gateway?.close());

describe('jobs', () => {
  it('creates, reads, lists and deletes a job, in both slash forms', async () => {
    const posted = await gateway.ask('POST', '/api/v1/jobs', { ...request, tag: 'first' });
    expect(posted.status).toBe(200);
    const job = Job.parse(posted.json());
    expect(job).toMatchObject({ tag: 'first', state: 'waiting', progress: 0, duration: 0, media_type: 'image' });
    expect(job.modules['face_recognition']).toMatchObject({ max_distance: 1, state: 'waiting', progress: 0 });
    for (const slash of ['', '/']) {
      const read = await gateway.ask('GET', `/api/v1/jobs/${job.id}${slash}`);
      expect(Job.parse(read.json()).id).toBe(job.id);
    }
    const found = JobPage.parse((await gateway.ask('GET', '/api/v1/jobs/?tag=first')).json());
    expect(found).toMatchObject({ total: 1, offset: 0, limit: 10, next: null, prev: null });
    const deleted = await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`);
    expect(deleted.json()).toEqual({ message: `Job ${job.id} was deleted.` });
    expect((await gateway.ask('GET', `/api/v1/jobs/${job.id}/`)).status).toBe(404);
  });

  it('answers every refusal with problem details', async () => {
    const rows: [
      string,
      number,
      string,
      Promise<{ status: number; text: string; headers: Record<string, unknown> }>,
    ][] = [
      ['no key', 401, 'UNAUTHENTICATED', gateway.ask('GET', '/api/v1/jobs/', undefined, { authorization: '' })],
      ['a wrong method', 405, 'METHOD_NOT_ALLOWED', gateway.ask('PUT', '/api/v1/jobs/', {})],
      ['an unknown path', 404, 'NOT_FOUND', gateway.ask('GET', '/api/v1/nothing/')],
      [
        'an unknown module',
        400,
        'VALIDATION',
        gateway.ask('POST', '/api/v1/jobs/', { ...request, modules: { x: {} } }),
      ],
    ];
    for (const [name, status, code, asked] of rows) {
      const answer = await asked;
      expect([name, answer.status]).toEqual([name, status]);
      expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(Problem.parse(JSON.parse(answer.text))).toMatchObject({ status, code });
    }
  });

  it('is alive and ready', async () => {
    for (const url of ['/healthz', '/startupz']) {
      expect((await gateway.ask('GET', url, undefined, { authorization: '' })).status).toBe(200);
    }
    const ready = await gateway.ask('GET', '/readyz', undefined, { authorization: '' });
    expect([ready.status, ready.text]).toEqual([200, expect.stringContaining('"database"')]);
    expect((await gateway.ask('GET', '/metrics', undefined, { authorization: '' })).text).toMatch(/adit_http_requests/);
  });

  it('serves its description and the pages for it, without a key and from itself alone', async () => {
    const anonymous = { authorization: '' };
    const document = await gateway.ask('GET', '/api/openapi.json', undefined, anonymous);
    expect(document.json()).toMatchObject({ openapi: '3.1.0' });
    const page = await gateway.ask('GET', '/api/docs/', undefined, anonymous);
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(links).toHaveLength(5);
    for (const link of links)
      expect([link, (await gateway.ask('GET', link, undefined, anonymous)).status]).toEqual([link, 200]);
    expect((await gateway.ask('GET', '/api/docs/package.json', undefined, anonymous)).status).toBe(404);
    expect((await gateway.ask('GET', '/api/docs/..%2fpackage.json', undefined, anonymous)).status).toBe(404);
  });

  it('links to what a trusted proxy was asked for', async () => {
    const posted = await gateway.ask('POST', '/api/v1/jobs/', request, {
      'x-forwarded-host': 'mine.example.org',
      'x-forwarded-proto': 'https',
    });
    const { id, result } = Job.parse(posted.json());
    expect(result.detailed_link).toBe(`https://mine.example.org/api/v1/jobs/${id}/detailed-results/`);
  });

  it('makes one workspace and one key, and takes a key that is given', async () => {
    const bootstrap = gateway.app.get(Bootstrap);
    expect(await bootstrap.ensureBootstrapKey({})).toEqual({ key: null, workspaceId: gateway.workspaceId });
    const apiKey = 'a-key-of-the-operator';
    expect(await bootstrap.ensureBootstrapKey({ apiKey })).toEqual({ key: null, workspaceId: gateway.workspaceId });
    const asked = await gateway.ask('GET', '/api/v1/api-keys/', undefined, { authorization: `Key ${apiKey}` });
    expect([asked.status, asked.json()['total']]).toEqual([200, 2]);
    // A key that a person chose may be short: nothing of it is shown.
    const shown = asked.json<{ data: { name: string; prefix: string }[] }>().data;
    expect(Object.fromEntries(shown.map(({ name, prefix }) => [name, prefix]))).toEqual({
      bootstrap: expect.stringMatching(/^adit_[\w-]{4}$/),
      configured: '',
    });
  });

  /** @hardening privacy: A configured key is shown, or stays valid */
  it('takes the key that was given before no longer when another is given, or none', async () => {
    const bootstrap = gateway.app.get(Bootstrap);
    const statusOf = async (key: string): Promise<number> => {
      const header = { authorization: `Key ${key}` };
      return (await gateway.ask('GET', '/api/v1/api-keys/', undefined, header)).status;
    };
    const [before, after] = ['a-key-that-leaked', 'a-key-in-its-place'];
    await bootstrap.ensureBootstrapKey({ apiKey: before });
    await bootstrap.ensureBootstrapKey({ apiKey: after });
    expect([await statusOf(before), await statusOf(after)]).toEqual([401, 200]);
    // Nor does it show any of its characters.
    const { text } = await gateway.ask('GET', '/api/v1/api-keys/', undefined, { authorization: `Key ${after}` });
    expect(text).toContain('"configured"');
    expect(text).not.toContain(after.slice(0, 4));
    expect(await bootstrap.ensureBootstrapKey({})).toEqual({ key: null, workspaceId: gateway.workspaceId });
    expect(await gateway.db.manager.countBy(ApiKeyEntity, { name: 'configured' })).toBe(0);
  });

  it('takes no former key that was renamed meanwhile', async () => {
    const bootstrap = gateway.app.get(Bootstrap);
    const [before, after] = ['another-key-that-leaked', 'another-key-in-its-place'];
    await bootstrap.ensureBootstrapKey({ apiKey: before });
    await gateway.db.manager.update(ApiKeyEntity, { name: 'configured' }, { name: 'of the operator' });
    await bootstrap.ensureBootstrapKey({ apiKey: after });
    const header = { authorization: `Key ${before}` };
    expect((await gateway.ask('GET', '/api/v1/api-keys/', undefined, header)).status).toBe(401);
    await bootstrap.ensureBootstrapKey({});
  });

  it('makes no key of a workspace that is being erased', async () => {
    const erased = { id: randomUUID(), name: 'erased', signingSecret: 's', timeDeleted: new Date() };
    await gateway.db.manager.insert(WorkspaceEntity, { ...erased, timeCreated: new Date(0) });
    const { workspaceId } = gateway;
    expect(await gateway.app.get(Bootstrap).ensureBootstrapKey({})).toEqual({ key: null, workspaceId });
    await gateway.db.manager.delete(WorkspaceEntity, { id: erased.id });
  });

  it('makes a key when those that are left cannot make one', async () => {
    const { manager } = gateway.db;
    const { workspaceId } = gateway;
    await manager.update(ApiKeyEntity, { workspaceId }, { role: 'member', isOwner: false });
    const { key } = await gateway.app.get(Bootstrap).ensureBootstrapKey({});
    expect(key).not.toBeNull();
    const asked = await gateway.ask('GET', '/api/v1/workspaces/', undefined, { authorization: `Key ${key}` });
    expect(asked.status).toBe(200);
    await manager.delete(ApiKeyEntity, { workspaceId, role: 'admin' });
    await manager.update(ApiKeyEntity, { workspaceId }, { role: 'admin', isOwner: true });
  });

  it('answers 503 with Retry-After when the database is gone', async () => {
    await gateway.app.get<Database>(DATABASE).close();
    for (const url of ['/api/v1/jobs/', '/readyz']) {
      const answer = await gateway.ask('GET', url);
      expect([url, answer.status, answer.headers['retry-after']]).toEqual([url, 503, '5']);
      expect(Problem.parse(answer.json()).code).toBe('UNAVAILABLE');
    }
    expect((await gateway.ask('GET', '/healthz')).status).toBe(200);
  });
});
