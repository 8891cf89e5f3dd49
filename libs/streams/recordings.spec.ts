/** @needs servers */
import { randomUUID } from 'node:crypto';
import { elementAt } from '@adit/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { addSegment, recordedUntil, slideRecording, type NewSegment } from './recorded-segments.js';
import { recordingPlaylist } from './recording-playlist.js';
import { newRecordingSecret, openTicket, signTicket, TICKET_SECONDS } from './recording-tickets.js';
import {
  expireRecording,
  findHeader,
  findRecording,
  findSegment,
  listedSegments,
  removeRecorded,
} from './recordings.js';
import { endStream } from './held-stream.js';
import { restartStreamsOfJob } from './stream-rows.js';
import { StreamWorld } from './testing/stream-world.js';

let world: StreamWorld;
beforeAll(async () => {
  world = await StreamWorld.start();
});
beforeEach(() => world.reset());
afterAll(() => world?.close());

const NOON = Date.UTC(2026, 10, 30, 12);
/** The n-th segment of 4 s. */
function segment(n: number, more: Partial<NewSegment> = {}): NewSegment {
  return {
    objectKey: `jobs/a/recording/${n}.m4s`,
    bytes: 1000 + n,
    fromUs: n * 4_000_000,
    durationUs: 4_000_000,
    timeStart: new Date(NOON + n * 4000),
    discontinuity: false,
    header: Buffer.from('parameters'),
    ...more,
  };
}

describe('the recording of a stream', () => {
  const removals = async (): Promise<string[]> =>
    (await world.db.query('SELECT prefix FROM object_removals ORDER BY id')).map(
      (row: { prefix: string }) => row.prefix,
    );

  it('lists the segments of its seconds, keeps some behind them for players, and notes the removal of the others', async () => {
    const jobId = await world.job(undefined, 20);
    const stream = await world.claimed();
    for (let n = 0; n < 20; n++) {
      await world.write((manager) => slideRecording(manager, stream, (n + 1) * 4_000_000));
      expect(await world.write((manager) => addSegment(manager, stream, segment(n)))).toBe(true);
    }
    const found = await findRecording(world.db, jobId);
    expect(found).toMatchObject({ seconds: 20, ended: false });
    const listed = await listedSegments(world.db, jobId, found!);
    expect(listed.map(({ seq }) => seq)).toEqual([15, 16, 17, 18, 19]);
    // 80 s - (20 + 30) s are gone.
    expect(await removals()).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `jobs/a/recording/${n}.m4s`));
    expect(await findSegment(world.db, jobId, 7)).toEqual({ objectKey: 'jobs/a/recording/7.m4s', bytes: 1007 });
    expect(await findSegment(world.db, jobId, 6)).toBeNull();
    expect(await recordedUntil(world.db, jobId)).toBe(80_000_000);
    expect(await findHeader(world.db, jobId, listed[0]!.header)).toEqual(Buffer.from('parameters'));
  });

  it('lists a segment once, however often that is tried', async () => {
    const jobId = await world.job(undefined, 20);
    const stream = await world.claimed();
    for (let tries = 0; tries < 2; tries++) await world.write((manager) => addSegment(manager, stream, segment(0)));
    expect((await listedSegments(world.db, jobId, { seconds: 20 })).length).toBe(1);
  });

  it('goes on with its numbers under another recorder and after a retry, with a discontinuity', async () => {
    const jobId = await world.job(undefined, 60);
    const first = await world.claimed();
    await world.write((manager) => addSegment(manager, first, segment(0, { discontinuity: true })));
    await world.expire(jobId);
    const second = await world.claimed();
    expect(await world.write((manager) => addSegment(manager, first, segment(1)))).toBe(false);
    expect(await world.write((manager) => slideRecording(manager, first, 9e12))).toBe(false);
    await world.write((manager) => addSegment(manager, second, segment(2, { discontinuity: true })));
    await world.write((manager) => endStream(manager, second, 'completed'));
    expect(await findRecording(world.db, jobId)).toMatchObject({ ended: true });
    await world.write((manager) => restartStreamsOfJob(manager, jobId));
    expect(await findRecording(world.db, jobId)).toMatchObject({ ended: false });
    const third = await world.claimed();
    await world.write((manager) => addSegment(manager, third, segment(3, { discontinuity: true })));
    const rows = await listedSegments(world.db, jobId, { seconds: 60 });
    expect(rows.map(({ seq, discontinuity, breaks }) => [seq, discontinuity, breaks])).toEqual([
      [0, false, 0],
      [1, true, 1],
      [2, true, 2],
    ]);
  });

  it('never uses a number again, also when all segments have gone, and forgets headers that none needs', async () => {
    const jobId = await world.job(undefined, 20);
    const stream = await world.claimed();
    await world.write((manager) => addSegment(manager, stream, segment(0)));
    const { header } = elementAt(await listedSegments(world.db, jobId, { seconds: 20 }), 0);
    await world.write((manager) => slideRecording(manager, stream, 900_000_000));
    const changed = segment(300, { header: Buffer.from('other parameters') });
    await world.write((manager) => addSegment(manager, stream, changed));
    expect((await listedSegments(world.db, jobId, { seconds: 20 })).map(({ seq }) => seq)).toEqual([1]);
    expect(await findHeader(world.db, jobId, header)).toBeNull();
  });

  it('keeps all of it while its job is under a legal hold', async () => {
    const workspaceId = randomUUID();
    await world.db.query(
      `INSERT INTO workspaces (id, name, signing_secret, held_tags) VALUES ($1, 'held', 's', '{case}')`,
      [workspaceId],
    );
    const jobId = await world.job(workspaceId, 20);
    await world.db.query(`UPDATE jobs SET tag = 'case' WHERE id = $1`, [jobId]);
    const stream = await world.claimed();
    await world.write((manager) => addSegment(manager, stream, segment(0)));
    expect(await world.write((manager) => slideRecording(manager, stream, 900_000_000))).toBe(true);
    expect(await removals()).toEqual([]);
    expect((await listedSegments(world.db, jobId, { seconds: 20 })).length).toBe(1);
    await world.db.query(`UPDATE workspaces SET held_tags = '{}' WHERE id = $1`, [workspaceId]);
    await world.write((manager) => slideRecording(manager, stream, 900_000_000));
    expect(await removals()).toEqual(['jobs/a/recording/0.m4s']);
  });

  it('is removed in parts', async () => {
    const jobId = await world.job(undefined, 60);
    const stream = await world.claimed();
    for (let n = 0; n < 5; n++) await world.write((manager) => addSegment(manager, stream, segment(n)));
    const { header } = elementAt(await listedSegments(world.db, jobId, { seconds: 60 }), 0);
    const part = (limit: number) => world.write((manager) => removeRecorded(manager, jobId, limit));
    expect(await part(3)).toEqual([0, 1, 2].map((n) => `jobs/a/recording/${n}.m4s`));
    expect(await findHeader(world.db, jobId, header)).not.toBeNull();
    expect((await part(3)).length).toBe(2);
    expect(await findHeader(world.db, jobId, header)).toBeNull();
  });

  it('expires some time after its job has ended, and not while that runs again', async () => {
    const jobId = await world.job(undefined, 60);
    const stream = await world.claimed();
    for (let n = 0; n < 3; n++) await world.write((manager) => addSegment(manager, stream, segment(n)));
    const now = new Date(Date.now() + 7 * 86_400_000);
    const part = async () => expireRecording(world.db, { jobId, workspaceId: stream.workspaceId }, { now, limit: 2 });
    const ended = `UPDATE jobs SET state = $2, time_completed = now() - interval '1 hour' WHERE id = $1`;
    await world.db.query(ended, [jobId, 'processing']);
    expect(await part()).toBe(false);
    await world.db.query(ended, [jobId, 'stopped']);
    expect(await part()).toBe(true);
    expect(await part()).toBe(false);
    expect((await removals()).length).toBe(3);
  });
});

describe('the playlist of a recording', () => {
  const listed = (seq: number, more: object = {}) => ({
    ...{ seq, durationUs: 4_000_000, timeStart: new Date(NOON + seq * 4000), bytes: 1, header: 'aa' },
    ...{ discontinuity: false, breaks: 1, ...more },
  });

  it('names the header of segments, their times and what does not go on, and ends when the stream has', () => {
    const segments = [
      listed(7, { discontinuity: true }),
      listed(8),
      listed(9, { header: 'bb', discontinuity: true, breaks: 2, durationUs: 12_480_000 }),
    ];
    const text = recordingPlaylist(segments, { ended: false, query: '?ticket=1' });
    expect(text.split('\n')).toEqual([
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-TARGETDURATION:12',
      '#EXT-X-MEDIA-SEQUENCE:7',
      '#EXT-X-DISCONTINUITY-SEQUENCE:0',
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-MAP:URI="header-aa.mp4?ticket=1"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-30T12:00:28.000Z',
      '#EXTINF:4.000000,',
      '7.m4s?ticket=1',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-30T12:00:32.000Z',
      '#EXTINF:4.000000,',
      '8.m4s?ticket=1',
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-MAP:URI="header-bb.mp4?ticket=1"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-30T12:00:36.000Z',
      '#EXTINF:12.480000,',
      '9.m4s?ticket=1',
      '',
    ]);
    // Once the first discontinuity has left the list, it is counted.
    const later = recordingPlaylist(segments.slice(1), { ended: true, query: '' });
    expect(later).toContain('#EXT-X-DISCONTINUITY-SEQUENCE:1\n');
    expect(later).toMatch(/#EXT-X-ENDLIST\n$/);
  });
});

describe('tickets of a recording', () => {
  const jobId = '6f1c0c62-7a0e-4c11-9a45-6d3a0f6e7b10';
  const ticket = { keyId: '0d5a36a8-93b2-4c57-8d4e-21c0a4d5a8f3', expires: Math.floor(NOON / 1000) + TICKET_SECONDS };
  const secret = newRecordingSecret();
  const signed = signTicket(secret, jobId, ticket);

  it('open the recording that they were made for, until their time is over', () => {
    expect(openTicket(secret, jobId, signed, NOON)).toEqual(ticket);
    expect(openTicket(secret, jobId, signed, NOON + TICKET_SECONDS * 1000)).toBeNull();
    expect(openTicket(secret, ticket.keyId, signed, NOON)).toBeNull();
    expect(openTicket(newRecordingSecret(), jobId, signed, NOON)).toBeNull();
  });

  it('count no more once anything in them was changed', () => {
    const later = signed.replace(/^\d+/, (seconds) => String(Number(seconds) + 1));
    const shorter = signed.slice(0, -1);
    for (const changed of [later, shorter, signed.replace('0d5a', '1d5a'), '', '1.2.3', `${signed}a`]) {
      expect(openTicket(secret, jobId, changed, NOON)).toBeNull();
    }
  });
});
