/** @needs ffmpeg, weights, build, time */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Job, JobPage, StorageEntry } from '@adit/contracts';
import { sampleMedia } from '@adit/testing';
import { z } from 'zod';
import { EngineUnderTest } from './engine-under-test.js';
import { readEvents, type StreamEvent } from './event-stream.js';
import { manTalking, manTwice, mediaRoots } from './films.js';
import { expectSameResults } from './same-results.js';

const media = sampleMedia();
const photo = media.groups['sample1']!;
const Message = z.strictObject({ message: z.string() });
let engine: EngineUnderTest;
let film: string;

beforeAll(async () => {
  film = await manTwice();
  engine = await EngineUnderTest.start({ localRoots: await mediaRoots() });
});
afterAll(() => engine?.close());

/** Polls, since what is waited for is a state in between. */
async function until<T>(read: () => Promise<T>, wanted: (seen: T) => boolean, seconds = 300): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(25)) {
    const seen = await read();
    if (wanted(seen)) return seen;
    if (Date.now() > end) throw new Error(`Still ${JSON.stringify(seen)} after ${seconds} s.`);
  }
}

async function files(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
const filesOf = async (id: string): Promise<string[]> =>
  (await files(join(engine.dataDir, 'objects'))).filter((path) => path.includes(id));

describe('a job that is stopped', () => {
  it('stands where it is until it is retried, and ends like one that was left alone', async () => {
    // Three chunks: one done, others yet to come.
    const sources = [await manTalking(30, 30)];
    const { id } = await engine.api.post({ sources });
    await until(
      () => engine.api.job(id),
      ({ state, progress }) => state === 'processing' && progress > 0,
    );
    const stopped = await engine.api.call(Job, 'POST', `/jobs/${id}/stop/`);
    expect(stopped).toMatchObject({ state: 'stopped', modules: { face_recognition: { state: 'stopped' } } });
    expect(stopped.time_completed).not.toBeNull();
    await sleep(1500);
    const still = await engine.api.job(id);
    expect(still).toEqual(stopped);
    expect((await engine.api.request('POST', `/jobs/${id}/stop/`)).status).toBe(409);

    expect(await engine.api.call(Job, 'POST', `/jobs/${id}/retry/`)).toMatchObject({ time_completed: null });
    const ended = await engine.api.ended(id);
    expect(ended).toMatchObject({ state: 'completed', progress: 1, errors: [] });
    expect((await engine.api.request('POST', `/jobs/${id}/retry/`)).status).toBe(409);

    const segments = await engine.api.segments(id);
    // With the job goes what it had seen, so that the other one looks for itself.
    await engine.api.call(Message, 'DELETE', `/jobs/${id}/`);
    const undisturbed = await engine.api.mine({ sources });
    expect(segments.length).toBeGreaterThan(0);
    expectSameResults(segments, await engine.api.segments(undisturbed.id));
  });
});

describe('a job that is deleted', () => {
  it('is gone, with everything it left on disk', async () => {
    const { id } = await engine.api.mine({ sources: [photo] });
    expect((await filesOf(id)).length).toBeGreaterThan(0);
    expect(await engine.api.call(Message, 'DELETE', `/jobs/${id}/`)).toEqual({ message: expect.stringContaining(id) });
    for (const path of [`/jobs/${id}/`, `/jobs/${id}/detailed-results/`, `/jobs/${id}/artifacts/`]) {
      expect((await engine.api.request('GET', path)).status).toBe(404);
    }
    expect((await engine.api.request('DELETE', `/jobs/${id}/`)).status).toBe(404);
    expect(await filesOf(id)).toEqual([]);
  });

  it('takes what was seen with it when no other job used the media', async () => {
    const [one, two] = [await engine.api.mine({ sources: [photo] }), await engine.api.mine({ sources: [photo] })];
    const digest = createHash('sha256')
      .update(await readFile(photo))
      .digest('hex');
    const seen = () => filesOf(digest);
    await engine.api.request('DELETE', `/jobs/${one.id}/`);
    expect((await seen()).length).toBeGreaterThan(0);
    await engine.api.request('DELETE', `/jobs/${two.id}/`);
    expect(await seen()).toEqual([]);
  });

  it('while it runs, stays gone', async () => {
    const { id } = await engine.api.post({ sources: [await manTalking(100, 30)] });
    await until(
      () => engine.api.job(id),
      ({ state }) => state === 'processing',
    );
    await engine.api.call(Message, 'DELETE', `/jobs/${id}/`);
    // Another job passes through the same services, so its messages in flight have ended.
    await engine.api.mine({ sources: [media.groups['sample2']!] });
    expect((await engine.api.request('GET', `/jobs/${id}/`)).status).toBe(404);
    await until(
      () => filesOf(id),
      (left) => left.length === 0,
    );
  });

  it('because its time to live is over', async () => {
    const { id } = await engine.api.mine({ sources: [photo], ttl: 1 });
    await sleep(1100);
    await engine.sweep();
    expect((await engine.api.request('GET', `/jobs/${id}/`)).status).toBe(404);
    expect(await filesOf(id)).toEqual([]);
  });
});

describe('a client', () => {
  it('that sends the same request again gets the same job', async () => {
    const tag = randomUUID();
    const headers = { 'idempotency-key': tag };
    const first = await engine.api.post({ sources: [photo], tag }, headers);
    const again = await engine.api.post({ sources: [photo], tag }, headers);
    expect(again).toEqual(first);
    expect((await engine.api.call(JobPage, 'GET', `/jobs/?tag=${tag}`)).total).toBe(1);
    const other = await engine.api.request(
      'POST',
      '/jobs/',
      { sources: [film], modules: { face_recognition: {} } },
      headers,
    );
    expect(other.status).toBe(422);
  });

  it('may wait for the end with its request', async () => {
    const job = await engine.api.post({ sources: [media.groups['sample3']!] }, { prefer: 'wait=60' });
    expect(job).toMatchObject({ state: 'completed', progress: 1 });
    const began = Date.now();
    const early = await engine.api.post({ sources: [await manTalking(130, 30)] }, { prefer: 'wait=1' });
    expect(['waiting', 'processing']).toContain(early.state);
    expect(Date.now() - began).toBeGreaterThanOrEqual(950);
    await engine.api.call(Message, 'DELETE', `/jobs/${early.id}/`);
  });

  it('may upload what it wants to have mined', async () => {
    const form = new FormData();
    form.append('folder', '/news/today');
    form.append('file', new Blob([await readFile(photo)], { type: 'image/jpeg' }), 'three women.jpg');
    const entry = await engine.api.call(StorageEntry, 'POST', '/storage/', form);
    expect(entry).toMatchObject({ name: 'three women.jpg', uploaded: true, is_image: true, is_folder: false });
    const thumbnail = await engine.api.request('GET', `/storage/${entry.id}/thumbnail/`);
    expect([thumbnail.status, thumbnail.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    const { id, media_type } = await engine.api.mine({ sources: [entry.url!] });
    expect(media_type).toBe('image');
    const segments = await engine.api.segments(id);
    expect(segments.map(({ source }) => source)).toEqual([entry.url, entry.url, entry.url]);
    const missing = { sources: ['storage://x6BfU3o0gkq2mZr9TtYw'], modules: { face_recognition: {} } };
    expect((await engine.api.request('POST', '/jobs/', missing)).status).toBe(400);
  });

  it('sees a job happen, and misses nothing when it comes back', async () => {
    const { id } = await engine.api.post({ sources: [film] });
    const stream = (after?: string): Promise<Response> =>
      engine.api.request(
        'GET',
        `/jobs/${id}/events/`,
        undefined,
        after === undefined ? {} : { 'last-event-id': after },
      );
    const whole: StreamEvent[] = [];
    for await (const event of readEvents(await stream())) whole.push(event);
    const names = whole.map(({ event }) => event);
    expect(names.slice(0, 2).sort()).toEqual(['job.face_recognition.on_started', 'job.on_started']);
    expect(names.slice(-2)).toEqual(['job.face_recognition.on_completed', 'job.on_completed']);
    expect(names).toContain('job.on_progress');
    const ids = whole.map((event) => Number(event.id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    const resumed: StreamEvent[] = [];
    for await (const event of readEvents(await stream(whole[1]!.id))) resumed.push(event);
    expect(resumed).toEqual(whole.slice(2));
  });
});

describe('a photo', () => {
  it('does not wait for the film that was posted before it', async () => {
    const long = await engine.api.post({ sources: [media.franck] });
    await until(
      () => engine.api.job(long.id),
      ({ state }) => state === 'processing',
    );
    const quick = await engine.api.mine({ sources: [media.groups['sample6']!] });
    expect(quick.state).toBe('completed');
    const then = await engine.api.job(long.id);
    expect(then.state).toBe('processing');
    expect(then.progress).toBeLessThan(0.7);
    await engine.api.call(Message, 'DELETE', `/jobs/${long.id}/`);
  });

  it('with priority goes before those that wait', async () => {
    const before = await engine.api.post({ sources: [await manTalking(160, 30)] });
    const order = (priority: number) => engine.api.post({ sources: [media.groups['sample4']!], priority, ttl: 3600 });
    // More jobs than are worked on at the same time.
    const ordinary = await Promise.all(Array.from({ length: 12 }, () => order(5)));
    const urgent = await order(9);
    await engine.api.ended(urgent.id);
    const states = await Promise.all(ordinary.map(({ id }) => engine.api.ended(id)));
    const done = (job: Job): number => Date.parse(job.time_started!);
    const urgentStart = done(await engine.api.job(urgent.id));
    expect(states.filter((job) => done(job) > urgentStart).length).toBeGreaterThan(0);
    await engine.api.call(Message, 'DELETE', `/jobs/${before.id}/`);
  });
});

it('leaves no frames behind', async () => {
  await until(
    async () => (await files(join(engine.dataDir, 'objects'))).filter((path) => path.includes('/packs/')),
    (left) => left.length === 0,
  );
  expect(existsSync(join(engine.dataDir, 'objects'))).toBe(true);
});
