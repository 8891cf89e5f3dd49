import { Job, JobPage, Problem } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dirname } from 'node:path';
import { startGateway, type TestGateway } from './testing/gateway.js';

const photo = sampleMedia().groups['sample1'] as string;
const request = { sources: [photo], modules: { face_recognition: {} } };
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ localRoots: [dirname(photo)] });
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
    expect((await gateway.ask('GET', '/healthz', undefined, { authorization: '' })).status).toBe(200);
    const ready = await gateway.ask('GET', '/readyz', undefined, { authorization: '' });
    expect([ready.status, ready.text]).toEqual([200, expect.stringContaining('"database"')]);
    expect((await gateway.ask('GET', '/metrics', undefined, { authorization: '' })).text).toMatch(/adit_http_requests/);
  });
});
