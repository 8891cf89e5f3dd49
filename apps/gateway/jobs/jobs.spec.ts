/** @needs ffmpeg, weights, build */
import { randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError, ArtifactPage, DetailedResultPage, Job, JobPage, SummarizedResultPage } from '@adit/contracts';
import {
  ApiKeyEntity,
  ArtifactEntity,
  columns,
  IdempotencyKeyEntity,
  JobEntity,
  JobModuleEntity,
  JobSourceEntity,
  ProbeEntity,
  SegmentEntity,
  SummaryEntity,
  WorkspaceEntity,
} from '@adit/database';
import { artifactKey, LockedJob, pictureKey } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { probeMedia } from '@adit/media';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { filmFacts, sampleMedia } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { hashApiKey, newApiKey } from '../auth/api-key.js';
import { startGateway, type TestGateway } from '../testing/gateway.js';
import { JobReader } from './job-reader.js';
import { DryRun } from './job-routes.js';
import { JobWatch } from './job-signals.js';

const film = sampleMedia().cap13;
const request = { sources: [film], modules: { face_recognition: {} } };
const facts = filmFacts({ width: 400, height: 300, totalFrames: 765, duration: 30.6, startTimecode: '10:00:00:00' });

let gateway: TestGateway;
let base: string;

beforeAll(async () => {
  gateway = await startGateway({ localRoots: [dirname(film)] });
  await gateway.app.listen(0, '127.0.0.1');
  base = await gateway.app.getUrl();
});
afterAll(() => gateway?.close());

const post = async (extra: object = {}, headers: Record<string, string> = {}): Promise<Job> =>
  Job.parse((await gateway.ask('POST', '/api/v1/jobs/', { ...request, ...extra }, headers)).json());

/** Moves a job as the aggregator does, events and all. */
const advance = (jobId: string, signal: Parameters<LockedJob['apply']>[0]): Promise<void> =>
  gateway.app.get(OutboxRelay).transaction(async (manager) => {
    const locked = await LockedJob.take(manager, jobId);
    await locked?.apply(signal);
  });

const finish = async (jobId: string): Promise<void> => {
  await advance(jobId, { kind: 'opened' });
  await advance(jobId, { kind: 'module-completed', module: 'face_recognition' });
  await advance(jobId, { kind: 'finished' });
};

describe('a job of many sources', () => {
  /** @hardening scale: Every message carries the addresses of all sources */
  it('shows all of them when it is asked for, and the first hundred in lists', async () => {
    const sources = Array.from({ length: 250 }, (_, at) => `https://example.org/${at}.jpg`);
    const job = await post({ sources, tag: 'many sources' });
    expect(job).toMatchObject({ sources, source_count: 250 });
    const read = Job.parse((await gateway.ask('GET', `/api/v1/jobs/${job.id}/`)).json());
    expect(read).toMatchObject({ sources, source_count: 250 });
    expect(new URL(read.link).pathname).toBe(`/api/v1/jobs/${job.id}/`);
    const page = JobPage.parse((await gateway.ask('GET', '/api/v1/jobs/?tag=many%20sources')).json());
    expect(page.data).toMatchObject([
      { id: job.id, source_count: 250, link: read.link, sources: sources.slice(0, 100) },
    ]);
    await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`);
  });
});

describe('detailed results', () => {
  const count = 2_500;
  let job: Job;

  beforeAll(async () => {
    job = await post();
    const picture = { key: pictureKey(job.id, 'face-0'), width: 96, height: 96 };
    await gateway.app.get<ObjectStore>(OBJECT_STORE).put(picture.key, Buffer.from('jpeg'));
    const rows = Array.from({ length: count }, (_, seq) =>
      columns<SegmentEntity>({
        jobId: job.id,
        seq,
        moduleId: 'face_recognition',
        moduleSeq: seq,
        sourceIndex: 0,
        frameStart: seq,
        frameEnd: seq + 25,
        timeStart: seq / 25,
        timeEnd: seq / 25 + 1,
        type: 'face',
        label: seq % 2 ? 'Ada 100%' : 'unknown',
        confidence: seq / count,
        meta: { person: seq % 2 ? 'Ada 100%' : 'unknown', similarity: seq / count },
        detections: [{ frame_index: seq, type: 'face_bbox', data: { x: 0.1, y: 0.1, w: 0.2, h: 0.2 } }],
        thumbnail: seq === 0 ? picture : seq === 1 ? { ...picture, key: pictureKey(job.id, 'gone') } : null,
        keyFrame: null,
        identityCollection: seq % 2 ? null : 'unknowns',
        identityNumber: seq % 2 ? null : 3,
      }),
    );
    for (let at = 0; at < count; at += 500) await gateway.db.manager.insert(SegmentEntity, rows.slice(at, at + 500));
    await gateway.db.manager.update(JobEntity, { id: job.id }, { segmentCount: count });
    await gateway.db.manager.update(JobModuleEntity, { jobId: job.id }, { segmentCount: count });
    await gateway.db.manager.update(JobSourceEntity, { jobId: job.id }, columns<JobSourceEntity>({ facts }));
    await gateway.db.manager.insert(
      SummaryEntity,
      columns<SummaryEntity>({
        jobId: job.id,
        seq: 0,
        id: randomUUID(),
        moduleId: 'face_recognition',
        sourceIndex: 0,
        type: 'person_screen_time',
        meta: { 'Ada 100%': 12.5 },
      }),
    );
  });

  const read = async (query: string) =>
    DetailedResultPage.parse((await gateway.ask('GET', `/api/v1/jobs/${job.id}/detailed-results/?${query}`)).json());

  it('gives segments as the interface shows them', async () => {
    const page = await read('limit=3');
    expect(page).toMatchObject({ total: count, offset: 0, limit: 3, prev: null });
    expect(page.data[0]).toMatchObject({
      module: 'face_recognition',
      media_type: 'video',
      source: film,
      meta: { person: 'Unknown #3' },
      tc_start: '10:00:00:00',
      tc_end: '10:00:01:00',
      thumbnail: { image: Buffer.from('jpeg').toString('base64'), meta: { width: 96, height: 96 } },
    });
    expect(page.data[1]).toMatchObject({ meta: { person: 'Ada 100%' }, thumbnail: null });
  });

  it('pages through all of them once, in order of emission', async () => {
    let url: string | null = `/api/v1/jobs/${job.id}/detailed-results/?limit=1000`;
    const frames: (number | null)[] = [];
    while (url !== null) {
      const page = DetailedResultPage.parse((await gateway.ask('GET', url)).json());
      frames.push(...page.data.map(({ frame_start }) => frame_start));
      url = page.next === null ? null : page.next.replace(/^http:\/\/[^/]+/, '');
    }
    expect(frames).toEqual(Array.from({ length: count }, (_, seq) => seq));
  });

  it('filters', async () => {
    const rows: [string, number][] = [
      ['module=face_recognition', count],
      ['module=object_recognition', 0],
      ['type=face', count],
      ['type=object', 0],
      ['label=ada', count / 2],
      ['label=%25', count / 2],
      ['label=_', 0],
      ['label=Unknown%20%233', count / 2],
      ['time_start=10&time_end=10', 26],
      ['min_confidence=0.5', count / 2],
      ['label=ada&min_confidence=0.5&module=face_recognition', count / 4],
    ];
    for (const [query, total] of rows) expect([query, (await read(`${query}&limit=1`)).total]).toEqual([query, total]);
  });

  /** @hardening api: A filter on confidence lets results without one through */
  it('results are filtered by the confidence that they show, and left out when they show none', async () => {
    const shown = [{ confidence: 0.9 }, { mean_confidence: 0.9 }, { similarity: 0.9 }, { text: 'a caption' }, {}];
    const { id: jobId } = await post();
    const [like] = await gateway.db.manager.findBy(SegmentEntity, { jobId: job.id, seq: 0 });
    await gateway.db.manager.insert(
      SegmentEntity,
      // They are all as sure, whether they say so or not.
      shown.map((meta, seq) => columns<SegmentEntity>({ ...like!, jobId, seq, moduleSeq: seq, confidence: 0.9, meta })),
    );
    const metas = async (query: string): Promise<unknown[]> => {
      const { data } = (await gateway.ask('GET', `/api/v1/jobs/${jobId}/detailed-results/?${query}`)).json();
      return (data as { meta: unknown }[]).map(({ meta }) => meta);
    };
    expect(await metas('type=face')).toEqual(shown);
    expect(await metas('min_confidence=0.9')).toEqual(shown.slice(0, 3));
    expect(await metas('min_confidence=0')).toEqual(shown.slice(0, 3));
    expect(await metas('min_confidence=0.91')).toEqual([]);
    await gateway.ask('DELETE', `/api/v1/jobs/${jobId}/`);
  });

  it('reads a late page by one index range', async () => {
    const plan = await gateway.db.query(
      `EXPLAIN SELECT * FROM segments WHERE job_id = '${job.id}' AND seq >= 2400 AND seq < 2410 ORDER BY seq`,
    );
    expect(JSON.stringify(plan)).toMatch(/Index Scan/);
    expect((await read('offset=2495&limit=10')).data).toHaveLength(5);
    expect((await read('offset=99999&limit=10')).data).toEqual([]);
  });

  it('gives summaries and artifacts', async () => {
    const summaries = await gateway.ask('GET', `/api/v1/jobs/${job.id}/summarized-results/`);
    expect(SummarizedResultPage.parse(summaries.json()).data).toMatchObject([
      { module: 'face_recognition', source: film, type: 'person_screen_time', meta: { 'Ada 100%': 12.5 } },
    ]);
    const id = randomUUID();
    const objectKey = artifactKey(job.id, id);
    await gateway.app.get<ObjectStore>(OBJECT_STORE).put(objectKey, Buffer.from('a,b\n'));
    const artifact = { id, jobId: job.id, filename: 'résumé "1".csv', mimeType: 'text/csv', objectKey, size: '4' };
    await gateway.db.manager.insert(ArtifactEntity, { ...artifact, timeExpiration: new Date(Date.now() + 60_000) });
    const listed = ArtifactPage.parse((await gateway.ask('GET', `/api/v1/jobs/${job.id}/artifacts/`)).json());
    expect(listed.data).toMatchObject([{ id, filename: 'résumé "1".csv', job_id: job.id }]);
    const file = await gateway.ask('GET', `/api/v1/jobs/${job.id}/artifacts/${id}/file/`);
    expect(file.text).toBe('a,b\n');
    expect(file.headers['content-disposition']).toBe(
      `attachment; filename="r_sum_ _1_.csv"; filename*=UTF-8''r%C3%A9sum%C3%A9%20%221%22.csv`,
    );
    await gateway.db.manager.update(ArtifactEntity, { id }, { timeExpiration: new Date(0) });
    expect((await gateway.ask('GET', `/api/v1/jobs/${job.id}/artifacts/${id}/file/`)).status).toBe(404);
  });
});

describe('waiting and following', () => {
  it('waits for the end with Prefer: wait, woken by the event', async () => {
    const job = await post();
    // Nothing else wakes it: it would look again by itself after a few seconds.
    const { next } = JobWatch.prototype;
    const watch = jest.spyOn(JobWatch.prototype, 'next').mockImplementation(function (this: JobWatch, _, gone) {
      return next.call(this, 600_000, gone);
    });
    const waiting = gateway.ask('GET', `/api/v1/jobs/${job.id}/`, undefined, { prefer: 'wait=30' });
    while (watch.mock.calls.length === 0) await sleep(10);
    await finish(job.id);
    const answer = await waiting;
    expect(Job.parse(answer.json())).toMatchObject({ state: 'completed', progress: 1 });
    expect(answer.headers['preference-applied']).toBe('wait=30');
    watch.mockRestore();
  });

  it('answers when the time is over', async () => {
    const began = Date.now();
    const answer = await gateway.ask('POST', '/api/v1/jobs/', request, { prefer: 'respond-async, wait=1' });
    expect(Job.parse(answer.json()).state).toBe('waiting');
    expect(Date.now() - began).toBeGreaterThanOrEqual(950);
  });

  it('streams events until the end and resumes after one of them', async () => {
    const job = await post();
    const follow = (headers: Record<string, string> = {}) =>
      fetch(`${base}/api/v1/jobs/${job.id}/events/`, { headers: { authorization: `Key ${gateway.key}`, ...headers } });
    const stream = await follow();
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('x-request-id')).toBeTruthy();
    const text = stream.text();
    await sleep(100);
    await finish(job.id);
    const events = parseEvents(await text);
    const names = events.map(({ event }) => event);
    expect(names).toContain('job.face_recognition.on_completed');
    expect(names.at(-1)).toBe('job.on_completed');
    const middle = events[1] as (typeof events)[number];
    const rest = parseEvents(await (await follow({ 'last-event-id': middle.id })).text());
    expect(rest).toEqual(events.slice(2));
  });

  it('ends the stream of a job that is deleted', async () => {
    const job = await post();
    const stream = await fetch(`${base}/api/v1/jobs/${job.id}/events/`, {
      headers: { authorization: `Key ${gateway.key}` },
    });
    await advance(job.id, { kind: 'opened' });
    await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`);
    // At once, not when it looks again.
    const left = sleep(10_000, 'open', { ref: false });
    expect(await Promise.race([stream.text().then(() => 'ended'), left])).toBe('ended');
  });
});

describe('commands', () => {
  it('stops, retries and refuses what a state does not allow', async () => {
    const job = await post();
    const command = (name: string) => gateway.ask('POST', `/api/v1/jobs/${job.id}/${name}/`);
    expect((await command('retry')).status).toBe(409);
    expect(Job.parse((await command('stop')).json()).state).toBe('stopped');
    expect((await command('stop')).status).toBe(409);
    expect(Job.parse((await command('retry')).json())).toMatchObject({ state: 'waiting', time_completed: null });
  });

  it('searches by id, tag and state; the wildcards of SQL stand for themselves', async () => {
    const job = await post({ tag: '50%_off' });
    const total = async (query: string) =>
      (await gateway.ask('GET', `/api/v1/jobs/?${query}`)).json<{ total: number }>().total;
    expect(await total(`search=${job.id.slice(0, 8)}`)).toBe(1);
    expect(await total('search=50%25_')).toBe(1);
    expect(await total('search=5_%25')).toBe(0);
    expect(await total('tag=50%25_off&state=waiting')).toBe(1);
    expect(await total('tag=50%25_off&state=failed')).toBe(0);
  });

  it.each(['dry-run/', '?dry_run=true'])('says what a job would be without creating it, by %s', async (way) => {
    const before = await gateway.db.manager.count(JobEntity);
    const asked = gateway.ask('POST', `/api/v1/jobs/${way}`, request);
    // Nothing is opened in this process: a decoder is asked, in whose place this answers.
    let early: string | null = null;
    void asked.then(({ text }) => (early = text));
    let probe: ProbeEntity | undefined;
    while (probe === undefined) {
      // A refusal asks none.
      expect(early).toBeNull();
      await sleep(10);
      [probe] = await gateway.db.manager.find(ProbeEntity);
    }
    expect(probe).toMatchObject({ sources: [film], taken: false, results: null });
    const { facts } = await probeMedia(film);
    await gateway.db.manager.update(ProbeEntity, { id: probe.id }, { results: [{ facts, error: null }] });
    const plan = DryRun.parse((await asked).json());
    expect(await gateway.db.manager.count(ProbeEntity)).toBe(0);
    expect(plan).toMatchObject({ media_type: 'video', sources: [{ source: film, error: null }] });
    expect(plan.estimate.media_seconds).toBeCloseTo(30.6, 0);
    expect(plan.modules['face_recognition']?.analyses).toMatchObject([{ analysis: 'faces' }]);
    expect(await gateway.db.manager.count(JobEntity)).toBe(before);
  });

  it('lists modules with their arguments', async () => {
    const modules = (await gateway.ask('GET', '/api/v1/modules/')).json<Record<string, unknown>[]>();
    expect(modules.find(({ id }) => id === 'face_recognition')).toMatchObject({
      id: 'face_recognition',
      arguments: { type: 'object' },
    });
  });

  it("hides another workspace's jobs", async () => {
    const job = await post();
    const workspaceId = randomUUID();
    const key = newApiKey();
    await gateway.db.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 'whsec_x' });
    await gateway.db.manager.insert(ApiKeyEntity, {
      id: randomUUID(),
      workspaceId,
      name: 'other',
      prefix: 'adit_x',
      hash: hashApiKey(key),
      role: 'member',
    });
    const other = { authorization: `Key ${key}` };
    for (const path of ['', 'detailed-results/', 'summarized-results/', 'artifacts/', 'events/']) {
      const answer = await gateway.ask('GET', `/api/v1/jobs/${job.id}/${path}`, undefined, other);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    expect((await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`, undefined, other)).status).toBe(404);
    expect((await gateway.ask('GET', '/api/v1/jobs/', undefined, other)).json()['total']).toBe(0);
    expect((await gateway.ask('GET', '/api/v1/api-keys/', undefined, other)).status).toBe(403);
  });
});

describe('Idempotency-Key', () => {
  const again = (key: string, body: object = request, url = '/api/v1/jobs/') =>
    gateway.ask('POST', url, body, { 'idempotency-key': key });

  it('answers a repeated request with the stored reply, and refuses another body', async () => {
    const first = await again('one');
    const second = await again('one', request, '/api/v1/jobs');
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect([second.status, second.json()]).toEqual([first.status, first.json()]);
    expect((await again('one', { ...request, tag: 'other' })).status).toBe(422);
  });

  it('creates one job for ten requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => again('ten', { ...request, tag: 'ten' })));
    expect(new Set(answers.map((answer) => answer.json()['id'])).size).toBe(1);
    expect(await gateway.db.manager.countBy(JobEntity, { tag: 'ten' })).toBe(1);
  });

  it('finds again what a process made that died before it had answered', async () => {
    const first = (await again('died')).json<{ id: string }>();
    const row = { workspaceId: gateway.workspaceId, key: 'died' };
    // The row as the dead process left it, past its time.
    await gateway.db.manager.update(IdempotencyKeyEntity, row, { status: null, timeExpires: new Date(0) });
    const second = await again('died');
    expect([second.status, second.json()['id']]).toEqual([200, first.id]);
    // A day later the key stands for a new request.
    await gateway.db.manager.update(IdempotencyKeyEntity, row, { timeExpires: new Date(0) });
    const third = await again('died');
    expect(third.status).toBe(200);
    expect(third.json()['id']).not.toBe(first.id);
  });

  it.each([
    ['batches', { name: 'Evening' }],
    ['webhooks', { url: 'https://example.org/x', event: 'svc.export.on_completed', hmac_secret: 's'.repeat(32) }],
  ])('finds again those of %s, too', async (path, body) => {
    const post = () => again(path, body, `/api/v1/${path}/`);
    const first = await post();
    const row = { workspaceId: gateway.workspaceId, key: path };
    await gateway.db.manager.update(IdempotencyKeyEntity, row, { status: null, timeExpires: new Date(0) });
    const second = await post();
    expect([second.status, second.json()]).toEqual([200, first.json()]);
  });

  /** @hardening jobs: A job is posted twice */
  it('makes no second job because the database is away when the first one is looked for', async () => {
    const first = (await again('away')).json<{ id: string }>();
    const row = { workspaceId: gateway.workspaceId, key: 'away' };
    await gateway.db.manager.update(IdempotencyKeyEntity, row, { status: null, timeExpires: new Date(0) });
    const reader = gateway.app.get(JobReader, { strict: false });
    const shown = jest.spyOn(reader, 'shown').mockRejectedValueOnce(new AditError('UNAVAILABLE', 'It is away.'));
    expect((await again('away')).status).toBe(503);
    shown.mockRestore();
    expect((await again('away')).json()['id']).toBe(first.id);
  });

  it('keeps no refusal and no secret', async () => {
    expect((await again('bad', { ...request, sources: [] })).status).toBe(400);
    expect((await again('bad')).status).toBe(200);
    const made = await again('secret', { name: 'newsroom' }, '/api/v1/api-keys/');
    expect(made.json()['key']).toMatch(/^adit_[A-Za-z0-9_-]{43}$/);
    expect((await again('secret', { name: 'newsroom' }, '/api/v1/api-keys/')).status).toBe(409);
    const kept = JSON.stringify(await gateway.db.manager.find(IdempotencyKeyEntity));
    expect(kept).not.toContain(made.json()['key']);
  });
});

describe('keys', () => {
  /** @hardening privacy: A configured key is shown, or stays valid */
  it('keys are listed without the secret, work, and stop working', async () => {
    const made = (await gateway.ask('POST', '/api/v1/api-keys/', { name: 'short' })).json<{
      id: string;
      key: string;
    }>();
    const own = { authorization: `Key ${made.key}` };
    expect((await gateway.ask('GET', '/api/v1/jobs/', undefined, own)).status).toBe(200);
    expect((await gateway.ask('GET', '/api/v1/api-keys/')).text).not.toContain(made.key);
    expect((await gateway.ask('DELETE', `/api/v1/api-keys/${made.id}/`)).status).toBe(200);
    expect((await gateway.ask('GET', '/api/v1/jobs/', undefined, own)).status).toBe(401);
    const rows = await gateway.db.manager.findBy(ApiKeyEntity, { role: 'admin' });
    expect(rows.filter(({ workspaceId }) => workspaceId === gateway.workspaceId)).toHaveLength(1);
    expect((await gateway.ask('DELETE', `/api/v1/api-keys/${rows[0]?.id}/`)).status).toBe(409);
  });

  it('renews the signing secret', async () => {
    const before = (await gateway.ask('GET', '/api/v1/signing-secret/')).json();
    const renewed = (await gateway.ask('POST', '/api/v1/signing-secret/')).json();
    expect(renewed['signing_secret']).toMatch(/^whsec_/);
    expect(renewed).not.toEqual(before);
    expect((await gateway.ask('GET', '/api/v1/signing-secret/')).json()).toEqual(renewed);
  });
});

function parseEvents(text: string): { id: string; event: string; data: string }[] {
  return text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      return { id: field('id'), event: field('event'), data: field('data') };
    });
}
