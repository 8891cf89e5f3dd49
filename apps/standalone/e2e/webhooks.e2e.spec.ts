/** @needs ffmpeg, weights, build */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Artifact, DetailedResult, Export, Job, SavedSearch, SearchAlert, Webhook } from '@adit/contracts';
import { sampleMedia, selfSignedCertificate } from '@adit/testing';
import { z } from 'zod';
import type { Order } from './api.js';
import { EngineUnderTest } from './engine-under-test.js';
import { readEvents } from './event-stream.js';
import { manTalking, mediaRoots } from './films.js';

const photo = sampleMedia().groups['sample1']!;
const Delivery = z.strictObject({
  event: z.string(),
  id: z.uuid(),
  timestamp: z.number(),
  data: z.strictObject({ job: Job, detailed_result: DetailedResult.optional() }),
  hmac_signature: z.string(),
});
const Exported = z.strictObject({
  ...Delivery.shape,
  data: z.strictObject({ export: Export.optional(), artifact: Artifact.optional() }),
});
const Told = z.object({ data: SearchAlert });
interface Received {
  headers: IncomingHttpHeaders;
  raw: string;
  body: z.infer<typeof Delivery>;
}

let folder: string;
let server: Server;
let callback: string;
let engine: EngineUnderTest;
let received: Received[] = [];
let exported: unknown[] = [];
let matched: unknown[] = [];
let answer = (response: ServerResponse): unknown => response.writeHead(204).end();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-webhooks-'));
  const certificate = selfSignedCertificate(['127.0.0.1']);
  await writeFile(join(folder, 'ca.pem'), certificate.cert);
  await writeFile(join(folder, 'not-a-film.mp4'), 'This is no film.');
  server = createServer(certificate, (request, response) => {
    let raw = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (raw += piece));
    request.on('end', () => {
      if (request.url === '/exports') exported.push(JSON.parse(raw));
      else if (request.url === '/matches') matched.push(JSON.parse(raw));
      else received.push({ headers: request.headers, raw, body: Delivery.parse(JSON.parse(raw)) });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  callback = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  engine = await EngineUnderTest.start({
    localRoots: [...(await mediaRoots()), folder],
    env: {
      ADIT_WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32',
      ADIT_WEBHOOK_TIMEOUT_SECONDS: '30',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    },
  });
});
afterAll(async () => {
  await engine?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function deliveriesOf(order: Order, count: number): Promise<{ job: Job; deliveries: Received[] }> {
  received = [];
  const job = await engine.api.ended((await engine.api.post(order)).id);
  for (const end = Date.now() + 120_000; received.length < count && Date.now() < end;) await sleep(20);
  return { job, deliveries: received };
}

const all = ['started', 'completed', 'failed', 'detailed_result'].flatMap((name) => [
  `job.on_${name}`,
  `job.face_recognition.on_${name}`,
]);

describe('the webhook of a job', () => {
  it('is told what happens, in order, signed, with the job as it was', async () => {
    const sources = [await manTalking(20, 6)];
    const order = { sources, tag: 'Zürich', webhook: { callback, events: all } };
    const { job, deliveries } = await deliveriesOf(order, 6);
    const segments = await engine.api.segments(job.id);
    expect(segments.length).toBeGreaterThan(0);
    const states = deliveries.filter(({ body }) => body.data.detailed_result === undefined);
    expect(states.map(({ body }) => body.event)).toEqual([
      'job.on_started',
      'job.face_recognition.on_started',
      'job.face_recognition.on_completed',
      'job.on_completed',
    ]);
    const [started, , moduleCompleted, completed] = states.map(({ body }) => body.data.job) as [Job, Job, Job, Job];
    expect(started).toMatchObject({ id: job.id, state: 'processing', progress: 0, time_completed: null });
    expect(moduleCompleted).toMatchObject({
      state: 'processing',
      modules: { face_recognition: { state: 'completed', progress: 1 } },
    });
    // The links of a webhook have no host unless ADIT_PUBLIC_URL names one.
    const { result } = completed;
    // The provenance is part of the job, not of its webhook.
    const { provenance, ...told } = job;
    expect(provenance).toBeDefined();
    expect({
      ...completed,
      link: `${engine.api.url}${completed.link}`,
      result: { ...result, detailed_link: `${engine.api.url}${result.detailed_link}` },
    }).toEqual(told);
    for (const name of ['job.on_detailed_result', 'job.face_recognition.on_detailed_result']) {
      const results = deliveries.filter(({ body }) => body.event === name);
      expect(results.map(({ body }) => body.data.detailed_result)).toEqual(segments);
      // Each left when it became final, not when the job had ended.
      expect(results.every(({ body }) => body.data.job.state === 'processing')).toBe(true);
    }
    const secret = await signingSecret();
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    for (const { raw, body, headers } of deliveries) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`;
      expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
      expect(headers['webhook-id']).toBe(body.id);
      const data = raw.slice(raw.indexOf('"data":') + 7, raw.lastIndexOf(',"hmac_signature":'));
      expect(body.hmac_signature).toBe(createHmac('sha256', secret).update(data).digest('base64'));
      expect(Math.abs(Date.now() / 1000 - body.timestamp)).toBeLessThan(60);
    }
    expect(new Set(deliveries.map(({ body }) => body.id)).size).toBe(deliveries.length);
  });

  it('is told of a failure, and only of what it asked for', async () => {
    const events = ['job.on_failed', 'job.face_recognition.on_failed', 'job.on_completed'];
    const order = { sources: [join(folder, 'not-a-film.mp4')], webhook: { callback, events } };
    const { job, deliveries } = await deliveriesOf(order, 2);
    expect(deliveries.map(({ body }) => body.event)).toEqual(['job.face_recognition.on_failed', 'job.on_failed']);
    expect(deliveries[1]!.body.data.job).toMatchObject({ state: 'failed', errors: job.errors });
  });

  it('is refused when it could never be reached', async () => {
    for (const address of [
      'https://10.0.0.1/',
      'https://0xa9fea9fe/',
      'https://u:p@example.org/',
      'http://example.org/',
    ]) {
      const order = { sources: [photo], webhook: { callback: address, events: ['job.on_completed'] } };
      await expect(engine.api.post(order)).rejects.toMatchObject({
        status: 400,
        problem: { errors: [{ pointer: '/webhook/callback' }] },
      });
    }
  });

  it('is told again, under the same id, when the engine died before it heard the answer', async () => {
    let heard = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (heard = resolve));
    answer = () => heard();
    received = [];
    await engine.api.post({ sources: [photo], webhook: { callback, events: ['job.on_completed'] } });
    await arrived;
    await engine.kill();
    answer = (response) => response.writeHead(200).end();
    await engine.boot();
    for (const end = Date.now() + 120_000; received.length < 2 && Date.now() < end;) await sleep(50);
    expect(received).toHaveLength(2);
    const [before, after] = received as [Received, Received];
    expect(after.headers['webhook-id']).toBe(before.headers['webhook-id']);
    expect(after.raw).toBe(before.raw);
    expect(after.headers['webhook-signature']).not.toBe(before.headers['webhook-signature']);
    expect(await engine.api.metric('adit_webhook_deliveries_total')).toBe(1);
  });
});

describe('the webhook of a workspace', () => {
  it('is told when the results of a job have been exported', async () => {
    exported = [];
    answer = (response) => response.writeHead(204).end();
    const url = callback.replace('/hook', '/exports');
    for (const event of ['svc.export.on_started', 'svc.export.artifact.on_created', 'svc.export.on_completed']) {
      await engine.api.call(Webhook, 'POST', '/webhooks/', { event, url, hmac_secret: 'a secret' });
    }
    const { id } = await engine.api.ended((await engine.api.post({ sources: [photo] })).id);
    const order = { strategy: 'job_results_export', config: { job_id: id, format: 'csv' } };
    const made = await engine.api.call(Export, 'POST', '/exports/', order);
    for (const end = Date.now() + 120_000; exported.length < 3 && Date.now() < end;) await sleep(50);
    const events = exported.map((body) => Exported.parse(body));
    expect(events.map(({ event }) => event).sort()).toEqual([
      'svc.export.artifact.on_created',
      'svc.export.on_completed',
      'svc.export.on_started',
    ]);
    const completed = events.find(({ event }) => event === 'svc.export.on_completed');
    expect(completed?.data.export).toMatchObject({ id: made.id, state: 'completed', progress: 1 });
  });
});

describe('a saved search', () => {
  it('tells of new results by a webhook, and in the stream of the workspace', async () => {
    matched = [];
    answer = (response) => response.writeHead(204).end();
    const url = callback.replace('/hook', '/matches');
    await engine.api.call(Webhook, 'POST', '/webhooks/', {
      event: 'svc.search.on_match',
      url,
      hmac_secret: 'a secret',
    });
    const question = { name: 'Faces', module: 'face_recognition' };
    const search = await engine.api.call(SavedSearch, 'POST', '/searches/', question);
    const stream = readEvents(await engine.api.request('GET', '/events/'));
    const { id } = await engine.api.ended((await engine.api.post({ sources: [photo] })).id);
    const count = (await engine.api.segments(id)).length;
    expect(count).toBeGreaterThan(0);
    for await (const { event, data } of stream) {
      if (event !== 'svc.search.on_match') continue;
      const alert = Told.parse(data).data;
      expect(alert).toMatchObject({ search: { id: search.id, name: 'Faces' }, job_id: id });
      expect(alert.matches.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, number) => number));
      break;
    }
    for (const end = Date.now() + 60_000; matched.length === 0 && Date.now() < end;) await sleep(50);
    expect(matched).toMatchObject([{ event: 'svc.search.on_match', data: { search: { name: 'Faces' }, job_id: id } }]);
  });
});

async function signingSecret(): Promise<string> {
  const Secret = z.strictObject({ signing_secret: z.string() });
  return (await engine.api.call(Secret, 'GET', '/signing-secret/')).signing_secret;
}
