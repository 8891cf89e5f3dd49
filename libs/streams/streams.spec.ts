/** @needs servers */
import { randomUUID } from 'node:crypto';
import { metrics } from '@adit/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isBehind, offerStream, reserveOffer, takeOver } from './hand-over.js';
import {
  addGap,
  endStream,
  handOverAsFilm,
  MAX_STREAM_GAPS,
  writePosition,
  writeSoundPosition,
} from './held-stream.js';
import { addressOfSource, type ClaimedStream } from './stream-claims.js';
import type { EntityManager } from 'typeorm';
import { encryptAddress } from './encrypted-address.js';
import { observeStreams } from './stream-metrics.js';
import { endStreamsOfJob, restartStreamsOfJob } from './stream-rows.js';
import { LEASE_SECONDS, StreamWorld } from './testing/stream-world.js';

let world: StreamWorld;
beforeAll(async () => {
  world = await StreamWorld.start();
});
beforeEach(() => world.reset());
afterAll(() => world?.close());

const gap = { fromUs: 1_000_000, toUs: 3_500_000, timeFrom: null, timeTo: null, reason: 'The camera went away.' };

describe('claims of streams', () => {
  it('a recorder takes streams of workspaces in turn, within the limits of each and its own', async () => {
    const [many, few] = [randomUUID(), randomUUID()];
    for (let at = 0; at < 4; at++) await world.job(many);
    const other = await world.job(few);
    const claims = world.claims({ workspace: 2, recorder: 3 });
    const taken: ClaimedStream[] = [];
    for (let at = 0; at < 4; at++) {
      const stream = await claims.claim(taken.length, LEASE_SECONDS);
      if (stream !== null) taken.push(stream);
    }
    expect(taken.map(({ workspaceId }) => workspaceId).toSorted()).toEqual([many, many, few].toSorted());
    expect(taken.map(({ jobId }) => jobId)).toContain(other);
    // The workspace reads as many as it may; another recorder gets none either.
    expect(await world.claims({ workspace: 2 }).claim(0, LEASE_SECONDS)).toBeNull();
    expect(await world.claims({ workspace: 3 }).claim(0, LEASE_SECONDS)).toMatchObject({ workspaceId: many });
  });

  it('two recorders never read one stream, nor more than the limit of a workspace', async () => {
    const workspace = randomUUID();
    for (let at = 0; at < 6; at++) await world.job(workspace);
    const recorders = Array.from({ length: 6 }, () => world.claims({ workspace: 3 }));
    const claimed = await Promise.all(recorders.map((claims) => claims.claim(0, LEASE_SECONDS)));
    const ids = claimed.flatMap((stream) => stream?.key.id ?? []);
    expect([ids.length, new Set(ids).size]).toEqual([3, 3]);
  });

  it('the stream of a recorder that died is taken over where it was, and the old one writes nothing', async () => {
    const jobId = await world.job();
    const old = await world.claimed();
    const zeroAt = new Date('2026-11-30T08:00:00Z');
    const position = { zeroAt, frames: 50, lastUs: 2_000_000, nextPosition: 1 };
    expect(await world.write((manager) => writePosition(manager, old, position))).toBe(true);
    await world.expire(jobId);
    const next = await world.claimed();
    expect(next).toMatchObject({ jobId, attempt: 1, token: 2, position, shown: 'rtsp://camera.example.org/live' });
    const late = { ...position, zeroAt: new Date(), frames: 75 };
    expect(await world.write((manager) => writePosition(manager, old, late))).toBe(false);
    expect(await world.write((manager) => addGap(manager, old, gap))).toBe(false);
    expect(await world.write((manager) => endStream(manager, old, 'failed'))).toBe(false);
    expect(await world.stream(jobId)).toMatchObject({ state: 'processing', frames: '50' });
    // Sound is cut elsewhere, and takes positions of the same row.
    const heard = { soundUs: 2_500_000, nextPosition: 2 };
    expect(await world.write((manager) => writeSoundPosition(manager, old, heard))).toBe(false);
    expect(await world.write((manager) => writeSoundPosition(manager, next, heard))).toBe(true);
    expect(await world.stream(jobId)).toMatchObject({ sound_us: '2500000', last_us: '2000000', next_position: 2 });
    // The zero of the stream stays.
    expect(await world.write((manager) => writePosition(manager, next, late))).toBe(true);
    expect(await world.stream(jobId)).toMatchObject({ frames: '75', zero_at: zeroAt });
  });

  it('attempts count from the position of the last progress', async () => {
    const jobId = await world.job();
    for (const attempt of [1, 2]) {
      expect((await world.claimed()).attempt).toBe(attempt);
      await world.expire(jobId);
    }
    const third = await world.claimed();
    const position = { zeroAt: new Date(), frames: 25, lastUs: 1_000_000, nextPosition: 1 };
    expect(await world.write((manager) => writePosition(manager, third, position))).toBe(true);
    for (const attempt of [1, 2]) {
      await world.expire(jobId);
      expect((await world.claimed()).attempt).toBe(attempt);
    }
  });

  it('the streams of jobs that ended or were deleted are nobody’s', async () => {
    const [ended, deleted] = [await world.job(), await world.job()];
    await world.db.query(`UPDATE jobs SET state = 'stopped' WHERE id = $1`, [ended]);
    await world.db.query(`UPDATE jobs SET time_deleted = now() WHERE id = $1`, [deleted]);
    expect(await world.claims().claim(0, LEASE_SECONDS)).toBeNull();
  });
});

describe('a stream whose recorder shuts down', () => {
  const settings = {};
  const zeroAt = new Date('2026-11-30T08:00:00Z');
  const at = (seconds: number) => ({ zeroAt, frames: seconds * 25, lastUs: seconds * 1e6, nextPosition: seconds });
  const write = (stream: ClaimedStream, seconds: number) =>
    world.write((manager) => writePosition(manager, stream, at(seconds)));

  it('is read on until another has taken it over where it is by then', async () => {
    const jobId = await world.job();
    const old = await world.claimed();
    await write(old, 1);
    expect(await reserveOffer(world.db, settings)).toBeNull();
    expect(await offerStream(world.db.manager, old)).toBe(true);
    const offer = (await reserveOffer(world.db, settings))!;
    expect(offer.stream).toMatchObject({ jobId, position: at(1) });
    // One recorder at a time tries, and writes nothing before it has taken over.
    expect(await reserveOffer(world.db, settings)).toBeNull();
    expect(await write(offer.stream, 9)).toBe(false);
    expect(await isBehind(world.db, offer, 2.5e6)).toBe(true);
    expect(await write(old, 3)).toBe(true);
    expect(await isBehind(world.db, offer, 2.5e6)).toBe(false);
    const taken = (await takeOver(world.db, offer, LEASE_SECONDS, settings))!;
    expect(taken).toMatchObject({ jobId, attempt: 1, token: 2, position: at(3) });
    expect(await write(old, 4)).toBe(false);
    expect(await write(taken, 4)).toBe(true);
    expect(await world.stream(jobId)).toMatchObject({ handing_over: false });
    // It may be offered again at once.
    expect(await offerStream(world.db.manager, taken)).toBe(true);
    const next = (await reserveOffer(world.db, settings))!;
    expect(next.heldWith).toBe(2);
    expect(await takeOver(world.db, offer, LEASE_SECONDS, settings)).toBeNull();
  });

  it('is taken over in one statement, which may be repeated when its answer was lost', async () => {
    await world.job();
    const old = await world.claimed();
    await write(old, 1);
    await offerStream(world.db.manager, old);
    const offer = (await reserveOffer(world.db, settings))!;
    const statements: string[] = [];
    const db = {
      query: (async (sql: string, values: unknown[]) => {
        statements.push(sql);
        return world.db.query(sql, values);
      }) as EntityManager['query'],
    };
    const first = (await takeOver(db, offer, LEASE_SECONDS, settings))!;
    expect(statements).toHaveLength(1);
    await write(first, 2);
    const again = (await takeOver(db, offer, LEASE_SECONDS, settings))!;
    expect(again).toMatchObject({ token: first.token, position: at(2) });
    expect(await write(again, 3)).toBe(true);
    // Once the lease has run out, anybody may have the stream.
    await world.expire(first.jobId);
    expect(await takeOver(db, offer, LEASE_SECONDS, settings)).toBeNull();
  });

  it('is not taken over by one whose reservation has run out, when another has taken it over', async () => {
    await world.job();
    const old = await world.claimed();
    await write(old, 1);
    await offerStream(world.db.manager, old);
    const late = (await reserveOffer(world.db, settings))!;
    await world.db.query(`UPDATE streams SET successor_until = now() - interval '1 second'`);
    const offer = (await reserveOffer(world.db, settings))!;
    expect(await takeOver(world.db, offer, LEASE_SECONDS, settings)).toMatchObject({ token: 2 });
    expect(await takeOver(world.db, late, LEASE_SECONDS, settings)).toBeNull();
  });

  it('is claimed as any other when it was given back meanwhile, and its successor comes too late', async () => {
    const jobId = await world.job();
    const old = await world.claimed();
    await offerStream(world.db.manager, old);
    // Nothing of a stream without pictures would be missed.
    expect(await reserveOffer(world.db, settings)).toBeNull();
    await write(old, 1);
    expect(await reserveOffer(world.db, settings, [old.key.id])).toBeNull();
    const offer = (await reserveOffer(world.db, settings))!;
    await world.expire(jobId);
    expect(await isBehind(world.db, offer, 1e6)).toBe(false);
    const next = await world.claimed();
    expect(await takeOver(world.db, offer, LEASE_SECONDS, settings)).toBeNull();
    expect(await write(next, 1)).toBe(true);
    // Nobody shuts down any more.
    expect(await world.stream(jobId)).toMatchObject({ handing_over: false, successor_until: null });
  });

  it('is offered again when its successor is not heard of, and ends with its job', async () => {
    const jobId = await world.job();
    const old = await world.claimed();
    await write(old, 1);
    await offerStream(world.db.manager, old);
    await reserveOffer(world.db, settings);
    await world.db.query(`UPDATE streams SET successor_until = now() - interval '1 second'`);
    const offer = (await reserveOffer(world.db, settings))!;
    expect(offer.stream.jobId).toBe(jobId);
    await world.write((manager) => endStreamsOfJob(manager, jobId, 'completed'));
    expect(await isBehind(world.db, offer, 1e6)).toBe(false);
    expect(await takeOver(world.db, offer, LEASE_SECONDS, settings)).toBeNull();
  });
});

describe('a held stream', () => {
  it('an encrypted address is read by the recorder, and by whoever opens the source as a film', async () => {
    const jobId = await world.job();
    const { workspace_id: workspaceId } = await world.stream(jobId);
    const key = 'k'.repeat(32);
    const full = 'rtsp://user:secret@camera.example.org/live';
    await world.db.query('UPDATE streams SET address = $2 WHERE job_id = $1', [
      jobId,
      encryptAddress(full, String(workspaceId), key),
    ]);
    // A recorder without the key leaves it to others; one with another key gives it back.
    expect(await world.claims().claim(0, LEASE_SECONDS)).toBeNull();
    const wrong = await world.claimed(world.claims({ key: 'w'.repeat(32) }));
    expect(() => wrong.address()).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
    await world.expire(jobId);
    expect((await world.claimed(world.claims({ key }))).address()).toBe(full);
    expect(await addressOfSource(world.db, { jobId, index: 0 }, { encryptionKey: key })).toBe(full);
    expect(await addressOfSource(world.db, { jobId: randomUUID(), index: 0 }, { encryptionKey: key })).toBeNull();
  });

  it('a gap is numbered, kept and told to the workspace; the oldest of too many go', async () => {
    const jobId = await world.job();
    const stream = await world.claimed();
    const time = new Date('2026-11-30T08:00:01Z');
    expect(await world.write((manager) => addGap(manager, stream, { ...gap, timeFrom: time }))).toBe(true);
    const events = await world.db.query('SELECT event, job_id, data FROM workspace_events');
    expect(events).toMatchObject([
      {
        event: 'svc.stream.on_gap',
        job_id: jobId,
        data: { gap: { job_id: jobId, number: 1, time_start: 1, time_end: 3.5, time_of_day_end: null } },
      },
    ]);
    expect(events[0].data.gap.time_of_day_start).toBe('2026-11-30T08:00:01.000000Z');
    await world.db.query(
      `INSERT INTO stream_gaps (stream_id, seq, job_id, from_us, to_us, reason)
       SELECT $1, n, $2, n, n, '' FROM generate_series(2, $3::int) n`,
      [stream.key.id, jobId, MAX_STREAM_GAPS],
    );
    expect(await world.write((manager) => addGap(manager, stream, gap))).toBe(true);
    const [row] = await world.db.query('SELECT min(seq), max(seq), count(*)::int AS count FROM stream_gaps');
    expect(row).toEqual({ min: 2, max: MAX_STREAM_GAPS + 1, count: MAX_STREAM_GAPS });
  });

  it('a film is handed over to the scheduler once', async () => {
    const jobId = await world.job();
    const stream = await world.claimed();
    expect(await world.write((manager) => handOverAsFilm(manager, stream))).toBe(true);
    expect(await world.write((manager) => handOverAsFilm(manager, stream))).toBe(false);
    expect(await world.stream(jobId)).toMatchObject({ state: 'completed', lease_until: null });
    const messages = await world.db.query('SELECT topic FROM outbox');
    expect(messages).toEqual([{ topic: 'jobs.submitted' }]);
  });

  it('a stream ends with its job, and a retry begins it where it was', async () => {
    const jobId = await world.job();
    const stream = await world.claimed();
    const position = { zeroAt: new Date(), frames: 25, lastUs: 1_000_000, nextPosition: 1 };
    await world.write((manager) => writePosition(manager, stream, position));
    await world.write((manager) => endStreamsOfJob(manager, jobId, 'completed'));
    expect(await world.write((manager) => writePosition(manager, stream, position))).toBe(false);
    await world.write((manager) => restartStreamsOfJob(manager, jobId));
    expect(await world.claimed()).toMatchObject({ jobId, attempt: 1, position: { frames: 25, nextPosition: 1 } });
  });
});

it('streams are counted by state; those beyond the limit of their workspace count apart', async () => {
  const workspace = randomUUID();
  for (let at = 0; at < 4; at++) await world.job(workspace);
  await world.db.query(`UPDATE streams SET time_created = now() - interval '1 hour'`);
  await world.claimed();
  observeStreams(world.db, { streamsPerWorkspace: 2 });
  const page = await metrics.metrics();
  const counted = [...page.matchAll(/^adit_streams{state="(\w+)"} (\d+)$/gm)].map(([, state, count]) => [state, count]);
  expect(Object.fromEntries(counted)).toEqual({ processing: '1', waiting: '1', held_back: '2' });
  expect(page).toMatch(/^adit_streams_to_read 2$/m);
  expect(Number(/^adit_streams_waiting_seconds (\d+)/m.exec(page)?.[1])).toBeGreaterThanOrEqual(3600);
});
