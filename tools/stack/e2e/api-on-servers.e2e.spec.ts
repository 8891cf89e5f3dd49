/** @needs build, servers */
import { randomBytes } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditClient, type StorageEntry } from '@adit/client';
import {
  ArtifactPage,
  Batch,
  BatchFileResult,
  Export,
  Job,
  JobPage,
  Report,
  ReportItemPage,
  Webhook,
  WebhookAttemptPage,
} from '@adit/contracts';
import { describeWith, sampleMedia, unzip } from '@adit/testing';
import { verifyMessage } from '@adit/webhooks';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { z } from 'zod';
import { BreakingProxy } from '../../../apps/gateway/testing/breaking-proxy.js';
import { Api } from '../../../apps/standalone/e2e/api.js';
import { StackUnderTest } from './stack-under-test.js';

const MEGABYTE = 1 << 20;
const SECRET = 'a secret of the specs';
const { groups } = sampleMedia();

interface Received {
  headers: IncomingHttpHeaders;
  raw: string;
  event: string;
  data: Record<string, unknown>;
}

await describeWith(['kafka', 'postgres', 'minio'], 'storage, batches, reports, exports and webhooks', (servers) => {
  let folder: string;
  let stack: StackUnderTest;
  let receiver: Server;
  let adit: AditClient;
  let photo: StorageEntry;
  let job: Job;
  const received: Received[] = [];
  let answer: (request: Received) => number = () => 204;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-api-'));
    receiver = createServer((request, response) => {
      let raw = '';
      request.setEncoding('utf8');
      request.on('data', (piece: string) => (raw += piece));
      request.on('end', () => {
        const body = JSON.parse(raw) as Pick<Received, 'event' | 'data'>;
        const delivery = { headers: request.headers, raw, event: body.event, data: body.data };
        received.push(delivery);
        response.writeHead(answer(delivery)).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    stack = await StackUnderTest.start(servers, {
      localRoots: [],
      environment: { ADIT_WEBHOOK_ALLOW_HTTP: 'true', ADIT_WEBHOOK_ALLOW_ADDRESSES: '127.0.0.1/32' },
      counts: {
        gateway: 2,
        'inference-landmark': 0,
        'inference-object': 0,
        'inference-speech': 0,
        'inference-text': 0,
      },
    });
    adit = new AditClient({ url: stack.processes.url, apiKey: StackUnderTest.key });
  });
  afterAll(async () => {
    await stack?.close();
    receiver?.closeAllConnections();
    await new Promise((resolve) => receiver?.close(resolve) ?? resolve(null));
    await rm(folder, { recursive: true, force: true });
  });

  /** Another gateway than the one that `adit` asks. */
  const other = () => new AditClient({ url: stack.processes.of('gateway')[1]!.address, apiKey: StackUnderTest.key });
  const hookUrl = (path: string): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${path}`;
  async function until<T>(read: () => Promise<T | null> | T | null, seconds = 300): Promise<T> {
    for (const end = Date.now() + seconds * 1000; ; await sleep(50)) {
      const found = await read();
      if (found !== null) return found;
      if (Date.now() > end) throw new Error(`Nothing came in ${seconds} s.\n${stack.log()}`);
    }
  }
  const bytesOf = async (reply: Response): Promise<Buffer> => Buffer.from(await reply.arrayBuffer());

  it('a file that is uploaded at one gateway is whole at another, in part too', async () => {
    const bytes = await readFile(groups['sample1']!);
    photo = await adit.storage.upload(await openAsBlob(groups['sample1']!), { folder: '/news', name: 'group.jpg' });
    expect(photo).toMatchObject({ uploaded: true, is_image: true, file_size: bytes.length });
    expect((await bytesOf(await other().storage.download(photo.id))).equals(bytes)).toBe(true);
    const path = `/storage/${photo.id}/file/`;
    const part = await stack.api.request('GET', path, undefined, { range: 'bytes=100-199' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 100-199/${bytes.length}`]);
    expect((await bytesOf(part)).equals(bytes.subarray(100, 200))).toBe(true);
    const past = await stack.api.request('GET', path, undefined, { range: `bytes=${bytes.length}-` });
    expect(past.status).toBe(416);
    const thumbnail = await stack.api.request('GET', `/storage/${photo.id}/thumbnail/`);
    expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect((await bytesOf(thumbnail)).subarray(0, 2)).toEqual(Buffer.from([0xff, 0xd8]));
  });

  it('a large file is uploaded over connections that break, and gateways that differ', async () => {
    // More than one part of the object store.
    const bytes = randomBytes(80 * MEGABYTE);
    const path = join(folder, 'large.bin');
    await writeFile(path, bytes);
    const [one, two] = await Promise.all(
      stack.processes.of('gateway').map(({ address }) => BreakingProxy.to(Number(new URL(address).port))),
    );
    try {
      const file = await openAsBlob(path);
      one!.breakAfter = [70 * MEGABYTE];
      let begun = 0;
      const first = new AditClient({ url: one!.url, apiKey: StackUnderTest.key });
      const options = { folder: '/large', name: 'large.bin', patienceSeconds: 0 };
      const broken = first.storage.uploadResumably(file, { ...options, onBegun: (id) => (begun = id) });
      await expect(broken).rejects.toThrow('did not answer');
      // Asked at the other gateway: the one that is writing would take the question for its client that has come back, and
      // stop where it is.
      const elsewhere = new Api(stack.processes.of('gateway')[1]!.address, StackUnderTest.key);
      await until(async () => {
        const path = `/storage/uploads/${begun}/`;
        const { headers } = await elsewhere.request('HEAD', path, undefined, { 'tus-resumable': '1.0.0' });
        return Number(headers.get('upload-offset')) >= 64 * MEGABYTE ? true : null;
      });
      two!.breakAfter = [2 * MEGABYTE];
      const second = new AditClient({ url: two!.url, apiKey: StackUnderTest.key });
      const entry = await second.storage.uploadResumably(file, { resume: begun });
      expect(entry).toMatchObject({ id: begun, uploaded: true, file_size: bytes.length });
      expect(two!.sent).toBeLessThan(30 * MEGABYTE);
      const border = 64 * MEGABYTE;
      const range = { range: `bytes=${border - 1000}-${border + 999}` };
      const part = await stack.api.request('GET', `/storage/${begun}/file/`, undefined, range);
      expect((await bytesOf(part)).equals(bytes.subarray(border - 1000, border + 1000))).toBe(true);
      expect((await bytesOf(await adit.storage.download(begun))).equals(bytes)).toBe(true);
      await adit.storage.delete(begun);
    } finally {
      await Promise.all([one?.close(), two?.close()]);
    }
  });

  it('a batch of a file is mined, reported on and listed', async () => {
    const parent = await stack.api.call(Batch, 'POST', '/batches/', { name: 'Election night' });
    const form = new FormData();
    const modules = 'face_recognition;advanced_diversity_analysis';
    const rows = ['source,tag,modules', `${photo.url},one,${modules}`, `${photo.url},two,face_recognition`];
    form.append('files', new Blob([rows.join('\n')]), 'studio.csv');
    form.append('parent_id', parent.id);
    const [made] = await stack.api.call(z.array(BatchFileResult), 'POST', '/batches/files/', form);
    expect(made).toMatchObject({ success: true, batch: { name: 'studio', parent: parent.id } });
    const listed = await stack.api.call(JobPage, 'GET', `/batches/${made!.batch!.id}/jobs/`);
    expect(listed.total).toBe(2);
    const ended = await Promise.all(listed.data.map(({ id }) => stack.api.ended(id)));
    expect(ended.map(({ state, errors, batch }) => [state, errors, batch])).toEqual(
      Array(2).fill(['completed', [], made!.batch!.id]),
    );
    job = ended.find(({ tag }) => tag === 'one')!;
    const asked = await stack.api.call(Report, 'POST', `/batches/${parent.id}/report/`);
    const report = await until(async () => {
      const now = await stack.api.call(Report, 'GET', `/reports/${asked.id}/`);
      return ['completed', 'failed'].includes(now.state) ? now : null;
    });
    expect([report.state, report.error_msg]).toEqual(['completed', null]);
    const items = await stack.api.call(ReportItemPage, 'GET', `/reports/${report.id}/items/`);
    expect(items.data.map(({ content }) => content.batch_id)).toEqual([parent.id, made!.batch!.id]);
    const [whole, part] = items.data.map(({ content }) => content.report_info);
    expect(whole).toEqual(part);
    const people = Object.values(part!.gender_count).reduce((sum, count) => sum + count, 0);
    expect(people).toBeGreaterThan(0);
  });

  it('results are exported, fetched in part, and told of by signed webhooks', async () => {
    const events = ['svc.export.on_started', 'svc.export.artifact.on_created', 'svc.export.on_completed'];
    const webhooks = await Promise.all(
      events.map((event) =>
        stack.api.call(Webhook, 'POST', '/webhooks/', { event, url: hookUrl('exports'), hmac_secret: SECRET }),
      ),
    );
    const expected = [];
    for (const format of ['json', 'csv', 'xlsx', 'zip'] as const) {
      const order = { strategy: 'job_results_export', config: { job_id: job.id, format } };
      const { id } = await stack.api.call(Export, 'POST', '/exports/', order);
      expected.push(...events.map((event) => `${event} ${id}`));
      const made = await until(async () => {
        const now = await stack.api.call(Export, 'GET', `/exports/${id}/`);
        return ['completed', 'failed'].includes(now.state) ? now : null;
      });
      expect([made.state, made.progress, made.error_msg]).toEqual(['completed', 1, null]);
      const { data } = await stack.api.call(ArtifactPage, 'GET', `/exports/${id}/artifacts/`);
      expect(data).toHaveLength(1);
      const [{ id: artifact, filename }] = data as [(typeof data)[number]];
      expect(filename).toBe(`results-${job.id}.${format}`);
      const path = `/exports/${id}/artifacts/${artifact}/file/`;
      const whole = await bytesOf(await stack.api.request('GET', path));
      const part = await stack.api.request('GET', path, undefined, { range: 'bytes=10-59' });
      expect(part.status).toBe(206);
      expect((await bytesOf(part)).equals(whole.subarray(10, 60))).toBe(true);
      const segments = await stack.api.segments(job.id);
      if (format === 'json') {
        const { detailed_results: results } = JSON.parse(whole.toString()) as { detailed_results: unknown[] };
        expect(results).toEqual(segments);
      }
      if (format === 'csv') expect(whole.toString().trim().split('\r\n')).toHaveLength(segments.length + 1);
      if (format === 'xlsx') expect([...(await unzip(whole)).keys()]).toContain('xl/worksheets/sheet2.xml');
      if (format === 'zip') {
        const files = await unzip(whole);
        const pictures = segments.flatMap(({ thumbnail }) => thumbnail?.image ?? []);
        expect([...files.keys()].slice(0, 2)).toEqual(['results.json', 'results.csv']);
        expect([...files.values()].slice(2).map((picture) => picture.toString('base64'))).toEqual(pictures);
      }
    }
    await until(() => (received.length >= expected.length ? true : null));
    const told = received.map(({ event, data }) => {
      const { export: exported, artifact } = data as { export?: Export; artifact?: { export_id: string } };
      return `${event} ${exported?.id ?? artifact?.export_id}`;
    });
    expect(told.sort()).toEqual(expected.sort());
    for (const { headers, raw } of received) {
      expect(verifyMessage({ secret: SECRET, headers, body: raw, now: new Date() })).toMatchObject({ valid: true });
    }
    const [started] = webhooks;
    const log = await stack.api.call(WebhookAttemptPage, 'GET', `/webhooks/${started!.id}/attempts/?limit=10`);
    expect(log.data.map(({ status, state, attempt }) => [status, state, attempt])).toEqual(
      Array(4).fill([204, 'delivered', 1]),
    );
    const again = `/webhooks/${started!.id}/attempts/${log.data[0]!.id}/replay/`;
    await stack.api.request('POST', again);
    await until(() => (received.length > expected.length ? true : null));
    const replayed = received.at(-1)!;
    expect(replayed.headers['webhook-id']).toBe(log.data[0]!.message_id);
    await stack.api.request('POST', `/webhooks/${started!.id}/test/`);
    await until(() => received.find(({ event }) => event === 'svc.webhook.on_test') ?? null);
    answer = () => 410;
    await stack.api.request('POST', `/webhooks/${started!.id}/test/`);
    const disabled = await until(async () => {
      const now = await stack.api.call(Webhook, 'GET', `/webhooks/${started!.id}/`);
      return now.enabled ? null : now;
    });
    expect(disabled.disabled_reason).toMatch(/410/);
  });

  it('a batch of hundreds is gone at once, and its jobs are aborted behind the reply, each told of once', async () => {
    answer = () => 204;
    const jobs = 450;
    const form = new FormData();
    form.append('files', new Blob([`source,modules\n${`${photo.url},face_recognition\n`.repeat(jobs)}`]), 'many.csv');
    const [made] = await stack.api.call(z.array(BatchFileResult), 'POST', '/batches/files/', form);
    const { id } = made!.batch!;
    const one = await stack.api.call(Job, 'POST', '/jobs/', {
      sources: [photo.url],
      modules: { face_recognition: {} },
      webhook: { callback: hookUrl('stopped'), events: ['job.on_stopped'] },
      priority: 0,
      batch: id,
    });
    received.length = 0;
    await stack.api.call(z.strictObject({ message: z.string() }), 'DELETE', `/batches/${id}/`);
    expect((await stack.api.request('GET', `/batches/${id}/`)).status).toBe(404);
    const left = () =>
      Promise.all(
        ['waiting', 'processing'].map((state) => stack.api.call(JobPage, 'GET', `/jobs/?state=${state}&limit=1`)),
      );
    await until(async () => ((await left()).every(({ total }) => total === 0) ? true : null));
    const { total: stopped } = await stack.api.call(JobPage, 'GET', '/jobs/?state=stopped&limit=1');
    const { total: completed } = await stack.api.call(JobPage, 'GET', '/jobs/?state=completed&limit=1');
    // Two of before; those that were mined already keep what they have.
    expect(stopped + completed).toBe(jobs + 1 + 2);
    expect(stopped).toBeGreaterThan(jobs / 2);
    await until(async () => ((await stack.api.job(one.id)).batch === null ? true : null));
    if ((await stack.api.job(one.id)).state === 'stopped') {
      await until(() => (received.length > 0 ? true : null));
      expect(received.map(({ event }) => event)).toEqual(['job.on_stopped']);
    }
  });

  it('no process has died, and no message was given up', async () => {
    for (const { name, deaths } of stack.processes.processes) expect([name, deaths]).toEqual([name, 0]);
    for (const service of ['gateway', 'aggregator', 'decoder', 'notifier', 'inference-face']) {
      expect([service, await stack.metric(service, 'adit_bus_dead_letters_total')]).toEqual([service, 0]);
    }
  });
});
