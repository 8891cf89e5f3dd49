/** @needs weights, build */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { clipKey } from '@adit/artifacts';
import type { Job, VideoFacts } from '@adit/contracts';
import { ClipEntity, columns, JobEntity, JobSourceEntity, SegmentEntity } from '@adit/database';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { filmFacts } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const BYTES = Buffer.from('the bytes of a clip');

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
}, BOOT_MS);
afterAll(() => gateway?.close());

const segment = { moduleId: 'face_recognition', sourceIndex: 0, type: 'face', label: 'Ada', confidence: 0.9 };
const shown = {
  meta: {},
  detections: [],
  thumbnail: null,
  keyFrame: null,
  identityCollection: null,
  identityNumber: null,
};

/** A job that found something for two seconds, and for `seconds`. */
async function mined(source = 'https://example.org/evening.mp4', facts: object = filmFacts(), seconds = 20 * 60) {
  const { manager } = gateway.db;
  const order = { sources: [source], modules: { face_recognition: {} } };
  const answer = await gateway.ask('POST', '/api/v1/jobs/', order);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  const { id: jobId } = answer.json<Job>();
  const known = { facts: facts as VideoFacts, mediaDigest: 'a'.repeat(64) };
  await manager.update(JobSourceEntity, { jobId }, columns<JobSourceEntity>(known));
  const spans = [
    { frameStart: 25, frameEnd: 74, timeStart: 1, timeEnd: 2.96 },
    { frameStart: 100, frameEnd: 100 + seconds * 25, timeStart: 4, timeEnd: 4 + seconds },
  ];
  for (const [seq, span] of spans.entries())
    await manager.insert(
      SegmentEntity,
      columns<SegmentEntity>({ jobId, seq, moduleSeq: seq, ...segment, ...shown, ...span }),
    );
  return {
    jobId,
    clip: `/api/v1/jobs/${jobId}/detailed-results/0/clip/`,
    long: `/api/v1/jobs/${jobId}/detailed-results/1/clip/`,
  };
}

/** Waits for a clip to be asked for, as a decoder does, and ends it. */
async function end(jobId: string, how: Partial<ClipEntity>): Promise<ClipEntity> {
  const { manager } = gateway.db;
  for (let tries = 0; tries < 400; tries += 1) {
    const clip = await manager.findOneBy(ClipEntity, { jobId, state: 'waiting' });
    if (clip !== null) {
      const timeExpires = new Date(Date.now() + 60_000);
      await manager.update(ClipEntity, { id: clip.id }, columns<ClipEntity>({ timeExpires, ...how }));
      return clip;
    }
    await sleep(20);
  }
  throw new Error('nobody asked for it');
}

async function cut(jobId: string, mimeType = 'video/mp4'): Promise<ClipEntity> {
  const objectKey = clipKey(jobId, randomUUID(), 1);
  await gateway.app.get<ObjectStore>(OBJECT_STORE, { strict: false }).put(objectKey, BYTES);
  return end(jobId, { state: 'completed', objectKey, mimeType, size: String(BYTES.length) });
}

/** Resolves when a request waits for the row of a job. */
async function waits(): Promise<void> {
  const query = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%jobs%FOR SHARE%'`;
  for (let tries = 0; tries < 400; tries += 1) {
    if ((await gateway.db.query<unknown[]>(query)).length > 0) return;
    await sleep(20);
  }
  throw new Error('nobody waits');
}

describe('the clip of a segment', () => {
  it('is asked for once, waited for, and sent as a file that takes ranges', async () => {
    const { jobId, clip } = await mined();
    const waiting = [1, 2].map(() => gateway.ask('GET', clip));
    const asked = await cut(jobId);
    expect(asked.cut).toEqual({
      ...{ source: 0, mediaDigest: 'a'.repeat(64), frames: { first: 25, last: 74 }, timeStart: 1, timeEnd: 2.96 },
      ...{ handles: 0, exact: false },
    });
    for (const { status, headers, text } of await Promise.all(waiting)) {
      expect([status, headers['content-type'], text]).toEqual([200, 'video/mp4', BYTES.toString()]);
      expect(headers['content-disposition']).toContain('filename="evening-0.mp4"');
    }
    expect(await gateway.db.manager.countBy(ClipEntity, { jobId })).toBe(1);
    const part = await gateway.ask('GET', clip, undefined, { range: 'bytes=4-8' });
    expect([part.status, part.text]).toEqual([206, 'bytes']);
    const again = await gateway.ask('GET', clip, undefined, { 'if-none-match': String(part.headers['etag']) });
    expect(again.status).toBe(304);
  });

  it('handles and exactness are clips of their own', async () => {
    const { jobId, clip } = await mined();
    const waiting = gateway.ask('GET', `${clip}?exact=true&handles=1.5`);
    expect((await cut(jobId)).cut).toMatchObject({ exact: true, handles: 1.5 });
    expect((await waiting).status).toBe(200);
    const other = gateway.ask('GET', `${clip}?handles=1.5`);
    expect((await cut(jobId)).cut).toMatchObject({ exact: false, handles: 1.5 });
    expect((await other).status).toBe(200);
  });

  it('sound is an m4a', async () => {
    const facts = {
      kind: 'audio',
      container: 'wav',
      codec: 'pcm_s16le',
      duration: 60,
      channels: 2,
      sampleRate: 48_000,
    };
    const { jobId, clip } = await mined('https://example.org/radio.wav', facts);
    const waiting = gateway.ask('GET', clip);
    await cut(jobId, 'audio/mp4');
    const { headers } = await waiting;
    expect([headers['content-type'], headers['content-disposition']]).toEqual([
      'audio/mp4',
      expect.stringContaining('filename="radio-0.m4a"'),
    ]);
  });

  it.each([
    ['MEDIA_INVALID', 400, 'ask for exact=true'],
    ['SOURCE_REFUSED', 404, 'The source of the segment cannot be had any more: '],
    ['SOURCE_UNAVAILABLE', 404, 'The source of the segment cannot be had any more: '],
    ['TOO_LARGE', 400, 'It is so'],
    ['UNAVAILABLE', 503, 'It is so'],
    ['LIMIT_EXCEEDED', 500, ''],
  ] as const)('one that failed with %s is answered %i', async (errorCode, status, detail) => {
    const { jobId, clip } = await mined();
    const waiting = gateway.ask('GET', clip);
    await end(jobId, { state: 'failed', errorCode, errorMsg: 'It is so: ask for exact=true.' });
    const answer = await waiting;
    expect([answer.status, answer.json()['detail']]).toEqual([status, expect.stringContaining(detail)]);
  });

  it('one that takes long is answered 202 with the time to ask again', async () => {
    const { clip } = await mined();
    const { status, headers, text } = await gateway.ask('GET', clip);
    expect([status, headers['retry-after'], text]).toEqual([202, '3', '']);
  }, 30_000);

  it('a length has a bound, which is larger for copies', async () => {
    const { jobId, long } = await mined();
    const exact = await gateway.ask('GET', `${long}?exact=true`);
    expect([exact.status, exact.json()['detail']]).toEqual([
      400,
      'The clip would last 1200 s; at most 600 s are cut. Without exact, up to 3600 s are copied.',
    ]);
    const copied = gateway.ask('GET', long);
    await cut(jobId);
    expect((await copied).status).toBe(200);
    const { long: longer } = await mined(undefined, undefined, 3600 - 1);
    expect((await gateway.ask('GET', `${longer}?handles=1`)).status).toBe(400);
    for (const query of ['handles=61', 'handles=-1', 'handles=1.25', 'handles=0.1', 'exact=maybe', 'precise=true'])
      expect((await gateway.ask('GET', `${longer}?${query}`)).status).toBe(400);
  });

  it('pictures, streams without a recording and unknown segments have none', async () => {
    const { clip: picture } = await mined(undefined, { kind: 'image', format: 'png', width: 8, height: 8 });
    expect((await gateway.ask('GET', picture)).json()).toMatchObject({ status: 400, code: 'VALIDATION' });
    const { jobId, clip } = await mined();
    await gateway.db.manager.update(JobEntity, { id: jobId }, { mediaType: 'videostream' });
    const live = await gateway.ask('GET', clip);
    expect([live.status, live.json()['detail']]).toEqual([400, expect.stringContaining('was not recorded')]);
    for (const number of ['7', '-1', 'x', '99999999999'])
      expect((await gateway.ask('GET', clip.replace('/0/', `/${number}/`))).status).toBe(404);
  });

  it('one that is erased while it is waited for is not asked for again', async () => {
    const { jobId, clip } = await mined();
    const waiting = gateway.ask('GET', clip);
    const { id } = await end(jobId, { timeExpires: null });
    await gateway.db.manager.delete(ClipEntity, { id });
    expect((await waiting).status).toBe(404);
    expect(await gateway.db.manager.countBy(ClipEntity, { jobId })).toBe(0);
  });

  it('a segment that an erasure takes just before has none', async () => {
    const { jobId, clip } = await mined();
    let waiting: ReturnType<TestGateway['ask']> | undefined;
    await gateway.db.transaction(async (manager) => {
      await manager.query('SELECT 1 FROM jobs WHERE id = $1 FOR UPDATE', [jobId]);
      waiting = gateway.ask('GET', clip);
      await waits();
      await manager.update(SegmentEntity, { jobId, seq: 0 }, { timeStart: 0.5 });
    });
    expect((await waiting)?.status).toBe(404);
    expect(await gateway.db.manager.countBy(ClipEntity, { jobId })).toBe(0);
  });

  it('a workspace keeps so many bytes of them', async () => {
    const { jobId, clip } = await mined();
    const { workspaceId } = await gateway.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    const row = { id: randomUUID(), workspaceId, jobId, digest: randomUUID(), cut: {} as ClipEntity['cut'] };
    const kept = {
      state: 'completed' as const,
      size: String(100 * 2 ** 30),
      timeExpires: new Date(Date.now() + 60_000),
    };
    await gateway.db.manager.insert(ClipEntity, columns<ClipEntity>({ ...row, ...kept }));
    const answer = (await gateway.ask('GET', clip)).json();
    expect(answer).toMatchObject({ status: 409, detail: expect.stringContaining('100 GiB') });
    await gateway.db.manager.delete(ClipEntity, { id: row.id });
  });

  it('a workspace has so many at once', async () => {
    const { jobId, clip } = await mined();
    const { workspaceId } = await gateway.db.manager.findOneByOrFail(JobEntity, { id: jobId });
    const rows = Array.from({ length: 100 }, () =>
      columns<ClipEntity>({ id: randomUUID(), workspaceId, jobId, digest: randomUUID(), cut: {} as ClipEntity['cut'] }),
    );
    await gateway.db.manager.insert(ClipEntity, rows);
    expect((await gateway.ask('GET', clip)).json()).toMatchObject({ status: 409, errors: [{ code: 'too_many' }] });
  });
});
