import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { World } from '../contract/world.js';
import { z } from 'zod';
import { sentBack } from './sent-back.js';

type Row = Record<string, unknown>;
let world: World;

beforeAll(async () => {
  world = await World.start();
}, 600_000);
afterAll(() => world?.close());

async function done(method: string, url: string, body?: unknown): Promise<Row> {
  const answer = await world.ask(method, url, body);
  expect([method, url, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([method, url, 200, '']);
  return answer.json();
}

describe('a resource that is sent back', () => {
  /** @hardening api: A reply cannot be sent back as a request */
  it('a resource loses read-only fields and nulls that say nothing, and nothing else', () => {
    const body = z.strictObject({
      name: z.string(),
      limit: z.int().nullable().default(null),
      range: z
        .union([z.strictObject({ from: z.int().optional() }), z.strictObject({ to: z.int().optional() })])
        .optional(),
    });
    const clean = sentBack(body, z.object({ id: z.string(), name: z.string(), time: z.string() }));
    expect(clean({ id: 'a', time: null, name: 'n', limit: null, range: { from: null, to: 1 }, hurry: null })).toEqual({
      name: 'n',
      limit: null,
      range: { to: 1 },
      hurry: null,
    });
    expect(clean([])).toEqual([]);
  });

  /** @hardening api: A default model cannot be named */
  it('a job that is sent back makes the same job again', async () => {
    const modules = {
      face_recognition: { range: { time_end: 3 } },
      object_recognition: { model: 'general' },
      lower_third_recognition: {},
      gender_neutrality_estimation: {},
      advanced_diversity_analysis: {},
    };
    const first = await done('POST', '/api/v1/jobs/', { ...world.order, modules, webhook: null, ttl: null });
    expect(first).toMatchObject({ modules: { object_recognition: { model: 'general-c' } }, webhook: null });
    const read = await done('GET', `/api/v1/jobs/${String(first['id'])}/`);
    const again = await done('POST', '/api/v1/jobs/', {
      ...read,
      webhook: { events: ['job.on_completed'], callback: 'https://example.org/' },
    });
    expect(again).toMatchObject({ modules: first['modules'], state: 'waiting' });
    expect(again['id']).not.toBe(first['id']);
    await done('POST', '/api/v1/jobs/', again);
    const unknown = await world.ask('POST', '/api/v1/jobs/', { ...again, hurry: null });
    expect([unknown.status, unknown.json()['errors']]).toMatchObject([400, [{ pointer: '/hurry' }]]);
  });

  it.each([
    ['api-keys', { name: 'a', role: 'reader' }, ['PATCH']],
    ['access-keys', { name: 'a', type: 'jwt', scopes: ['export.read'] }, ['PUT', 'PATCH']],
    [
      'webhooks',
      { event: 'svc.export.on_completed', url: 'https://example.org/a', hmac_secret: 's' },
      ['PUT', 'PATCH'],
    ],
    ['batches', { name: 'a' }, []],
  ])('a reply of /v1/%s/ can be sent again', async (resource, body, methods) => {
    const url = `/api/v1/${resource}/`;
    const made = await done('POST', url, body);
    const one = `${url}${String(made['id'] ?? made['key'])}/`;
    const read = await done('GET', one);
    for (const sent of [made, read]) {
      await done('POST', url, sent);
      for (const method of methods) expect(await done(method, one, sent)).toMatchObject(body);
    }
    expect((await world.ask('POST', url, { ...read, hurry: null })).status).toBe(400);
  });

  it('an export and a model can be sent again', async () => {
    const exported = await done('GET', `/api/v1/exports/${await world.export()}/`);
    await done('POST', '/api/v1/exports/', exported);
    const one = `/api/v1/models/${await world.model()}/`;
    await done('PUT', one, await done('GET', one));
    const dictionary = `/api/v1/dictionaries/${await world.dictionary()}/`;
    await done('PUT', dictionary, await done('GET', dictionary));
  });
});

describe("a job's webhook", () => {
  /** @hardening api: A webhook waits for an event that never comes */
  it.each(['job.nonsense.on_completed', 'job.on_nothing', 'job.landmark_recognition.on_completed', 'JOB', ''])(
    'does not wait for %j',
    async (event) => {
      const webhook = { events: ['job.on_completed', event], callback: 'https://example.org/' };
      const answer = await world.ask('POST', '/api/v1/jobs/', { ...world.order, webhook });
      expect([answer.status, answer.json()['errors']]).toMatchObject([400, [{ pointer: '/webhook/events/1' }]]);
      expect(answer.text).not.toContain('[a-z');
      if (event !== '') expect(answer.json()['message']).toContain('job.face_recognition.on_completed');
    },
  );
});
