/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { Problem, USAGE_QUOTAS, type Quotas, type QuotasChange, type Usage, type Workspace } from '@adit/contracts';
import { UsageDayEntity } from '@adit/database';
import { filmFacts } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { forecastQuotas } from '../jobs/quota-forecast.js';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';
import { UsageQuotas } from './usage-quotas.js';

const order = { sources: ['https://example.org/film.mp4'], modules: { face_recognition: {} } };

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({});
}, BOOT_MS);
afterAll(() => gateway?.close());

interface Place {
  id: string;
  headers: { authorization: string };
}

async function workspaceWith(quotas: Quotas): Promise<Place> {
  const answer = await gateway.ask('POST', '/api/v1/workspaces/', { name: 'newsroom', quotas });
  const { id, key, ...made } = answer.json<Workspace & { key: string }>();
  expect(made.quotas).toEqual(quotas);
  return { id, headers: { authorization: `Key ${key}` } };
}

/** What is counted of a day, as many days ago as said. */
async function count({ id }: Place, days: number, moduleId: string, seconds: Partial<UsageDayEntity>): Promise<void> {
  const day = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const none = { mediaSeconds: 0, chunkSeconds: 0, cpuSeconds: 0, gpuSeconds: 0 };
  await gateway.db.manager.insert(UsageDayEntity, {
    ...{ workspaceId: id, day, moduleId, keyId: randomUUID() },
    ...none,
    ...seconds,
  });
}

const change = ({ id }: Place, quotas: QuotasChange, headers = {}) =>
  gateway.ask('PATCH', `/api/v1/workspaces/${id}/`, { quotas }, headers);
const post = ({ headers }: Place) => gateway.ask('POST', '/api/v1/jobs/', order, headers);
const quotasOf = async ({ headers }: Place) =>
  (await gateway.ask('GET', '/api/v1/usage/', undefined, headers)).json<Usage>().quotas;

describe('quotas of usage', () => {
  it('are set by the owner alone, one by one', async () => {
    const place = await workspaceWith({ media_seconds_per_day: 100, upload_bytes: 1_000 });
    const changed = await change(place, { cpu_model_seconds_per_month: 50, upload_bytes: null });
    expect(changed.json<Workspace>().quotas).toEqual({ media_seconds_per_day: 100, cpu_model_seconds_per_month: 50 });
    await Promise.all(['gpu', 'cpu'].map((on) => change(place, { [`${on}_model_seconds_per_day`]: 7 })));
    const one = (await gateway.ask('GET', `/api/v1/workspaces/${place.id}/`)).json<Workspace>();
    expect(Object.keys(one.quotas).toSorted()).toEqual([
      ...['cpu_model_seconds_per_day', 'cpu_model_seconds_per_month', 'gpu_model_seconds_per_day'],
      'media_seconds_per_day',
    ]);
    expect((await change(place, { media_seconds_per_day: null }, place.headers)).status).toBe(403);
    for (const wrong of [{ media_seconds_per_day: 0 }, { colours_per_day: 1 }, { upload_bytes: 0.5 }]) {
      expect((await gateway.ask('PATCH', `/api/v1/workspaces/${place.id}/`, { quotas: wrong })).status).toBe(400);
    }
  });

  /** @hardening overload: A workspace uses more than its quota */
  it('refuse jobs once they are used up, and say which, how much and until when', async () => {
    const place = await workspaceWith({ media_seconds_per_day: 100, gpu_model_seconds_per_month: 10 });
    await count(place, 0, 'face_recognition', { mediaSeconds: 99.5, gpuSeconds: 4 });
    const begun = await post(place);
    expect(begun.status).toBe(200);
    await count(place, 0, 'speech_recognition', { mediaSeconds: 1.25, gpuSeconds: 5 });
    const refused = await post(place);
    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString().replace('Z', '000Z');
    const problem = Problem.parse(refused.json());
    expect([refused.status, problem.code, problem.detail]).toEqual([
      429,
      'QUOTA_EXCEEDED',
      `The quota media_seconds_per_day of this workspace is used up: 100.75 of 100 s are used, 0 s are left. It starts anew at ${midnight}.`,
    ]);
    const quota = { quota: 'media_seconds_per_day', limit: 100, used: 100.75, left: 0, time_reset: midnight };
    expect(problem.errors).toMatchObject([{ code: 'quota_exceeded', quota }]);
    const seconds = Number(refused.headers['retry-after']);
    expect(Math.abs(Date.parse(midnight) / 1000 - Date.now() / 1000 - seconds)).toBeLessThan(10);
    expect(await quotasOf(place)).toEqual([quota, expect.objectContaining({ limit: 10, used: 9, left: 1 })]);
    // What was taken goes on, but is not begun anew.
    const job = `/api/v1/jobs/${begun.json<{ id: string }>().id}/`;
    expect((await gateway.ask('POST', `${job}stop/`, undefined, place.headers)).status).toBe(200);
    expect((await gateway.ask('POST', `${job}retry/`, undefined, place.headers)).status).toBe(429);
    expect((await gateway.ask('POST', '/api/v1/jobs/dry-run/', order, place.headers)).status).toBe(200);
    await change(place, { media_seconds_per_day: 200 });
    expect((await post(place)).status).toBe(200);
    expect((await post({ id: '', headers: { authorization: `Key ${gateway.key}` } })).status).toBe(200);
  });

  it('count the days of the month, on every gateway', async () => {
    const place = await workspaceWith({ cpu_model_seconds_per_month: 10 });
    const today = new Date().getUTCDate();
    // The day before the first one is of another month.
    await count(place, today, 'face_recognition', { cpuSeconds: 100 });
    const gateways = [new UsageQuotas(gateway.db), new UsageQuotas(gateway.db)];
    const ask = () => Promise.allSettled(gateways.map((one) => one.check(place.id)));
    expect((await ask()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    await count(place, today - 1, 'face_recognition', { cpuSeconds: 10 });
    expect(await ask()).toMatchObject([
      { reason: { code: 'QUOTA_EXCEEDED' } },
      { reason: { code: 'QUOTA_EXCEEDED', options: { errors: [{ quota: { used: 10, left: 0 } }] } } },
    ]);
  });

  it('refuse files of batches before they are read', async () => {
    const place = await workspaceWith({ chunk_seconds_per_day: 1 });
    await count(place, 0, 'face_recognition', { chunkSeconds: 1 });
    await gateway.app.listen(0, '127.0.0.1');
    const form = new FormData();
    form.append('files', new Blob(['source,tag,modules\nhttps://example.org/a.mp4,a,face_recognition\n']), 'a.csv');
    const address = `${await gateway.app.getUrl()}/api/v1/batches/files/`;
    const reply = await fetch(address, { method: 'POST', body: form, headers: place.headers });
    expect([reply.status, await reply.json()]).toEqual([429, expect.objectContaining({ code: 'QUOTA_EXCEEDED' })]);
  });

  it('are forecast by the length of media, and by what modules took before', async () => {
    const place = await workspaceWith({
      ...{ media_seconds_per_day: 1_000, cpu_model_seconds_per_day: 60, gpu_model_seconds_per_month: 60 },
    });
    await count(place, 0, 'face_recognition', { mediaSeconds: 200, cpuSeconds: 50, gpuSeconds: 0 });
    const film = { source: 'a', facts: filmFacts({ duration: 40 }), error: null };
    const module = { moduleId: 'face_recognition', postedAs: '', args: {}, range: null, models: [], analyses: [] };
    const faces = { ...module, media: ['image' as const, 'video' as const] };
    const speech = { ...module, moduleId: 'speech_recognition', media: ['audio' as const] };
    const ask = async (modules: (typeof faces | typeof speech)[], sources: (typeof film | typeof unknown)[]) =>
      (await forecastQuotas(gateway.db, { workspaceId: place.id, modules }, sources)).map(
        ({ quota, left, expected }) => [USAGE_QUOTAS[quota as keyof typeof USAGE_QUOTAS].of, left, expected],
      );
    const unknown = { source: 'b', facts: null, error: null };
    expect(await ask([faces, speech], [film, film])).toEqual([
      ['media_seconds', 800, 80],
      ['cpu_model_seconds', 10, 20],
      ['gpu_model_seconds', 60, 0],
    ]);
    // Nothing is known of a film that was not opened, and of a module that never ran.
    expect((await ask([faces], [film, unknown])).map(([, , expected]) => expected)).toEqual([null, null, null]);
    const objects = { ...faces, moduleId: 'object_scene_recognition' };
    expect((await ask([faces, objects], [film])).map(([, , expected]) => expected)).toEqual([80, null, null]);
  });
});
