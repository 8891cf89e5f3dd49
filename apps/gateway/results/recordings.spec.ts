/** @needs ffmpeg, weights */
import { randomUUID } from 'node:crypto';
import { Job, Recording } from '@adit/contracts';
import { LockedJob } from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { OutboxRelay } from '@adit/outbox';
import { addSegment, endStream, recordingPrefix, StreamClaims, type ClaimedStream } from '@adit/streams';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { BOOT_MS, startGateway, type TestGateway } from '../testing/gateway.js';

const CAMERA = 'rtsp://camera.example.org/live';
const STORAGE_BYTES = 1_000_000;
const BYTES = Buffer.from('the bytes of a segment');
const HEADER = Buffer.from('the header of a segment');

let gateway: TestGateway;
let objects: ObjectStore;
beforeAll(async () => {
  gateway = await startGateway({ recordingMinutes: 2, storageBytes: STORAGE_BYTES });
  objects = gateway.app.get<ObjectStore>(OBJECT_STORE);
}, BOOT_MS);
afterAll(() => gateway?.close());

const write: OutboxRelay['transaction'] = (work) => gateway.app.get(OutboxRelay).transaction(work);
const posted = async (camera = CAMERA): Promise<Job> => {
  const order = { sources: [camera], modules: { face_recognition: {} }, record: true };
  const answer = await gateway.ask('POST', '/api/v1/jobs/', order);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return Job.parse(answer.json());
};
const claimed = async ({ id }: Job): Promise<ClaimedStream> => {
  const claims = new StreamClaims(gateway.db, { streamsPerWorkspace: 100, streamsPerRecorder: 100 });
  for (let at = 0; at < 100; at++) {
    const stream = await claims.claim(at, 60);
    if (stream?.jobId === id) return stream;
  }
  throw new Error('the stream of the job was not there');
};
/** A job of which `count` segments of 4 s are recorded. */
async function recorded(count: number, camera = CAMERA): Promise<{ job: Job; stream: ClaimedStream }> {
  const job = await posted(camera);
  const stream = await claimed(job);
  for (let n = 0; n < count; n++) {
    const objectKey = `${recordingPrefix(job.id)}${randomUUID()}.m4s`;
    await objects.put(objectKey, BYTES);
    const timeStart = new Date(Date.UTC(2026, 10, 30, 12, 0, 4 * n));
    const times = { fromUs: n * 4_000_000, durationUs: 4_000_000, timeStart, discontinuity: false };
    await write((manager) => addSegment(manager, stream, { objectKey, bytes: BYTES.length, ...times, header: HEADER }));
  }
  return { job, stream };
}
const described = async ({ id }: Job): Promise<Recording> => {
  const answer = await gateway.ask('GET', `/api/v1/jobs/${id}/recording/`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return Recording.parse(answer.json());
};
/** As a player does, without a key. */
const play = (address: string, headers: Record<string, string> = {}) => {
  const { pathname, search } = new URL(address, 'http://x');
  return gateway.ask('GET', pathname + search, undefined, { authorization: '', ...headers });
};
const errorOf = async (address: string) => {
  const { status, json } = await play(address);
  return [status, json()['code']];
};

describe('the recording of a job', () => {
  it('is described with an address that a player opens without a key', async () => {
    const { job, stream } = await recorded(3);
    expect(new URL(job.recording ?? '').pathname).toBe(`/api/v1/jobs/${job.id}/recording/`);
    const recording = await described(job);
    expect(recording).toMatchObject({
      ...{ state: 'recording', minutes: 2, duration: 12, size: 3 * BYTES.length, segment_count: 3 },
      time_start: '2026-11-30T12:00:00.000000Z',
      time_end: '2026-11-30T12:00:12.000000Z',
    });
    const hours = (Date.parse(recording.time_expires) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12);
    const playlist = await play(recording.playlist);
    expect(playlist.headers).toMatchObject({
      'content-type': 'application/vnd.apple.mpegurl',
      'cache-control': 'no-store',
    });
    expect(playlist.text).not.toContain('ENDLIST');
    await write((manager) => endStream(manager, stream, 'completed'));
    expect((await play(recording.playlist)).text).toMatch(/#EXT-X-ENDLIST\n$/);
    expect(await described(job)).toMatchObject({ state: 'ended' });
  });

  it('has parts that browsers read in ranges, keep and ask for again', async () => {
    const { job } = await recorded(1);
    const { playlist } = await described(job);
    const { text } = await play(playlist);
    const header = new URL(/URI="([^"]+)"/.exec(text)?.[1] ?? '', playlist).href;
    const segment = new URL(/^0\.m4s.*$/m.exec(text)?.[0] ?? '', playlist).href;
    for (const [address, bytes] of [
      [header, HEADER],
      [segment, BYTES],
    ] as const) {
      const whole = await play(address);
      expect([whole.status, whole.text]).toEqual([200, bytes.toString()]);
      expect(whole.headers).toMatchObject({
        'content-type': 'video/mp4',
        'content-length': String(bytes.length),
        'cache-control': 'private, max-age=3600, immutable',
        'accept-ranges': 'bytes',
      });
      const part = await play(address, { range: 'bytes=4-8' });
      expect([part.status, part.text]).toEqual([206, bytes.toString().slice(4, 9)]);
      const again = await play(address, { 'if-none-match': String(whole.headers['etag']) });
      expect(again.status).toBe(304);
      expect((await play(address, { range: 'bytes=100-' })).status).toBe(416);
    }
    for (const name of ['1.m4s', 'header-00.mp4', 'results.json', '..%2F..', '0']) {
      expect((await play(segment.replace('0.m4s', name))).status).toBe(404);
    }
  });

  it('is not to be had without its own ticket, nor once the key that asked for it has gone', async () => {
    const { job } = await recorded(1);
    const other = await recorded(1);
    const { playlist } = await described(job);
    const unauthenticated = [401, 'UNAUTHENTICATED'];
    expect(await errorOf(playlist.replace(job.id, other.job.id))).toEqual(unauthenticated);
    expect(await errorOf(playlist.replace(/ticket=\d/, 'ticket=2'))).toEqual(unauthenticated);
    expect(await errorOf(playlist.replace(job.id, randomUUID()))).toEqual(unauthenticated);
    expect(await errorOf(playlist.replace(/\?.*/, ''))).toEqual(unauthenticated);
    const [, search] = playlist.split('?');
    for (const path of ['', 'gaps/', 'recording/', 'detailed-results/']) {
      expect(await errorOf(`/api/v1/jobs/${job.id}/${path}?${search}`)).toEqual(unauthenticated);
    }
    // A key opens it as well, and gets addresses that players open.
    const { text } = await play(playlist.replace(/\?.*/, ''), { authorization: `Key ${gateway.key}` });
    expect((await play(new URL(/^0\.m4s.*$/m.exec(text)?.[0] ?? '', playlist).href)).status).toBe(200);
    const made = await gateway.ask('POST', '/api/v1/api-keys/', { name: 'viewer', role: 'reader' });
    const { id, key } = made.json<{ id: string; key: string }>();
    const asked = await gateway.ask('GET', `/api/v1/jobs/${job.id}/recording/`, undefined, {
      authorization: `Key ${key}`,
    });
    const own = Recording.parse(asked.json()).playlist;
    expect((await play(own)).status).toBe(200);
    await gateway.ask('DELETE', `/api/v1/api-keys/${id}/`);
    expect(await errorOf(own)).toEqual(unauthenticated);
  });

  it('is there for jobs that ask for one, of live streams alone', async () => {
    const film = { sources: ['https://example.org/a.mp4'], modules: { face_recognition: {} } };
    const refused = await gateway.ask('POST', '/api/v1/jobs/', { ...film, record: true });
    expect(refused.status).toBe(400);
    expect(refused.json()).toMatchObject({ code: 'VALIDATION', errors: [{ pointer: '/record' }] });
    const plain = await gateway.ask('POST', '/api/v1/jobs/', { ...film, sources: [CAMERA] });
    const { id, recording } = Job.parse(plain.json());
    expect(recording).toBeUndefined();
    expect((await gateway.ask('GET', `/api/v1/jobs/${id}/recording/`)).status).toBe(404);
    const empty = await described(await posted());
    expect(empty).toMatchObject({ time_start: null, time_end: null, duration: 0, segment_count: 0 });
    expect(await errorOf(empty.playlist)).toEqual([404, 'NOT_FOUND']);
  });

  it('counts against the storage quota of its workspace', async () => {
    const used = async (): Promise<number> => {
      const { data } = (await gateway.ask('GET', '/api/v1/workspaces/')).json<{ data: { storage_used: number }[] }>();
      return data[0]?.storage_used ?? 0;
    };
    const before = await used();
    await recorded(2);
    expect(await used()).toBe(before + 2 * BYTES.length);
  });

  /** @hardening privacy: A recording outlives its job, or the erasure of its camera */
  it('goes with its job, and with the erasure of its camera', async () => {
    const { job, stream } = await recorded(3);
    const keys = async (of: Job): Promise<string[]> => {
      const found: string[] = [];
      for await (const { key } of objects.list(recordingPrefix(of.id))) found.push(key);
      return found;
    };
    const { playlist } = await described(job);
    expect((await keys(job)).length).toBe(3);
    await gateway.ask('DELETE', `/api/v1/jobs/${job.id}/`);
    expect(await keys(job)).toEqual([]);
    expect((await play(playlist)).status).toBe(401);
    const late = { objectKey: 'x', bytes: 1, fromUs: 0, durationUs: 1, timeStart: new Date(), discontinuity: false };
    expect(await write((manager) => addSegment(manager, stream, { ...late, header: HEADER }))).toBe(false);
    const left = await gateway.db.query(
      'SELECT 1 FROM recording_segments WHERE job_id = $1 UNION ALL SELECT 1 FROM recording_headers WHERE job_id = $1',
      [job.id],
    );
    expect(left).toEqual([]);

    const camera = `${CAMERA}/2`;
    const kept = await recorded(2, camera);
    await write(async (manager) => {
      await endStream(manager, kept.stream, 'completed');
      await (await LockedJob.take(manager, kept.job.id))?.apply({ kind: 'stop' });
    });
    const erased = await gateway.ask('POST', '/api/v1/erasures/', { file_uri: camera });
    expect(erased.json()).toMatchObject({ counts: { recordings: 2 } });
    expect(await keys(kept.job)).toEqual([]);
    expect((await described(kept.job)).segment_count).toBe(0);
  });
});
