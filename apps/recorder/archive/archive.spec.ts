/** @needs ffmpeg, servers */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { inTransaction, openDatabase, type Database } from '@adit/database';
import { ffmpegPath, openHead, type LiveHead, type LiveRun } from '@adit/media';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import type { OutboxRelay } from '@adit/outbox';
import { listedSegments, moveToPart, StreamClaims, type ClaimedStream, type ListedSegment } from '@adit/streams';
import { specDatabase, transcode, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StreamClock } from '../stream-clock.js';
import { Archive } from './archive.js';

let folder: string;
let own: SpecDatabase;
let database: Database;
let objects: FilesystemObjectStore;
let bytes: Buffer;
/** The test film: 21 s with a keyframe every 2 s. */
let film: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-archive-'));
  own = await specDatabase();
  database = await openDatabase(own.settings);
  objects = await FilesystemObjectStore.open(folder);
  film = await transcode('archive.mp4', [
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25,setsar=1', '-t', '21'],
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-sc_threshold', '0'],
  ]);
  bytes = await asStream(['-c', 'copy']);
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function asStream(options: string[]): Promise<Buffer> {
  const args = ['-v', 'error', '-i', film, ...options, '-f', 'nut', 'pipe:1'];
  const child = spawn(await ffmpegPath(), args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const pieces: Buffer[] = [];
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece));
  await once(child, 'close');
  return Buffer.concat(pieces);
}

/** A claimed stream of a new job that is recorded. */
async function claimed(seconds = 600): Promise<ClaimedStream> {
  const [jobId, workspaceId] = [randomUUID(), randomUUID()];
  const db = database.dataSource;
  await db.query(
    `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type)
     VALUES ($1, $2, '', 'waiting', 5, 4, 'videostream')`,
    [jobId, workspaceId],
  );
  await db.query(`INSERT INTO job_sources (job_id, index, uri, state) VALUES ($1, 0, 'rtsp://a/b', 'waiting')`, [
    jobId,
  ]);
  await db.query(
    `INSERT INTO streams (id, job_id, source_index, workspace_id, record_seconds) VALUES ($1, $2, 0, $3, $4)`,
    [randomUUID(), jobId, workspaceId, seconds],
  );
  await db.query(
    `INSERT INTO job_modules (job_id, module_id, position, posted_as, args, models, media, analyses, state, progress)
     VALUES ($1, 'face_recognition', 0, 'face_recognition', '{}', '[]', '["video"]', '{}', 'waiting', 0)`,
    [jobId],
  );
  const stream = await new StreamClaims(db, { streamsPerWorkspace: 99, streamsPerRecorder: 99 }).claim(0, 600);
  if (stream?.jobId !== jobId) throw new Error('the stream of the job was not there');
  return stream;
}

/** The stream after its next part has begun, in a new job. */
async function moved(stream: ClaimedStream, borderUs: number): Promise<ClaimedStream> {
  const other = await claimed();
  await inTransaction(database.dataSource, async (manager) => {
    await manager.query('DELETE FROM streams WHERE id = $1', [other.key.id]);
    await moveToPart(manager, stream, other.jobId, borderUs);
  });
  return { ...stream, jobId: other.jobId };
}

/** All of a recording. */
const ALL = { seconds: 600 };
const NOON = Date.UTC(2026, 10, 30, 12);

/** What happens between two bytes of a run: nothing. */
const noPause = async (_tap?: (bytes: Buffer) => void, _share?: number): Promise<void> => {};

type Transaction = OutboxRelay['transaction'];
const write: Transaction = (work) => inTransaction(database.dataSource, work);

/** A recorder of one stream, without its decoder. */
class Recorded {
  readonly clock = new StreamClock({ zeroAt: null, frames: 0, lastUs: 0 });
  readonly archive: Archive;

  constructor(
    readonly stream: ClaimedStream,
    more: { store?: ObjectStore; storageBytes?: number; spoolBytes?: number; transaction?: Transaction } = {},
  ) {
    const db = database.dataSource;
    const { store = objects, storageBytes = 0, spoolBytes = 64 << 20, transaction = write } = more;
    const outbox = { transaction };
    const deps = { db, outbox, objects: store, storageBytes, spoolBytes, workDirectory: folder };
    this.archive = new Archive(deps, stream, this.clock);
    this.archive.hold(stream);
  }

  /**
   * A run whose first picture comes so many seconds after the first of all, on a clock of which a second takes `pace`
   * seconds. Returns the longest time that a byte took.
   */
  async play(run: Buffer, second: number, { pace = 1, between = noPause } = {}): Promise<number> {
    const live: LiveRun = {
      container: 'nut',
      body: Readable.from([run]),
      isSegmented: true,
      statedTime: null,
      gap: null,
    };
    const head: LiveHead = await openHead(live, { directory: folder, signal: new AbortController().signal });
    const tap = await this.archive.begin(head, live);
    const { us } = this.clock.place(NOON + second * 1000);
    let longest = 0;
    let seen = 0;
    for (let at = 0; at < run.length; at += 20_000) {
      const began = performance.now();
      tap?.(run.subarray(at, at + 20_000));
      longest = Math.max(longest, performance.now() - began);
      for (; seen < 525 * (at / run.length); seen++) this.archive.see(seen * 40_000, us + seen * 40_000 * pace);
      await sleep(2);
      await between(tap, at / run.length);
    }
    this.archive.endRun();
    this.clock.advance({ frameEnd: 525, ptsEnd: us + 21e6 * pace });
    return longest;
  }

  listed(): Promise<ListedSegment[]> {
    return listedSegments(database.dataSource, this.stream.jobId, ALL);
  }

  async errors(jobId = this.stream.jobId): Promise<string[]> {
    const [row]: [{ errors: string[] }] = await database.dataSource.query('SELECT errors FROM jobs WHERE id = $1', [
      jobId,
    ]);
    return row.errors;
  }
}

/** The store, which fails with an error while there is one. */
function faulty(): { store: ObjectStore; fault: AditError | null } {
  const state: { store: ObjectStore; fault: AditError | null } = { store: objects, fault: null };
  state.store = Object.assign(Object.create(objects) as ObjectStore, {
    put: (key: string, content: Buffer) =>
      state.fault === null ? objects.put(key, content) : Promise.reject(state.fault),
  });
  return state;
}

describe('the recording of a live stream', () => {
  it('keeps every run with its wall clock, and marks where it does not go on', async () => {
    const recorded = new Recorded(await claimed());
    await recorded.play(bytes, 0);
    await recorded.play(bytes, 60);
    await recorded.archive.finish(10_000);
    const listed = await recorded.listed();
    const brief = listed.map(({ timeStart, durationUs, discontinuity }) => [
      (timeStart.getTime() - NOON) / 1000,
      durationUs / 1e6,
      discontinuity,
    ]);
    const run = (at: number, isFirst: boolean) => [
      ...[0, 4, 8, 12, 16].map((second) => [at + second, 4, !isFirst && second === 0]),
      [at + 20, 1, false],
    ];
    expect(brief).toEqual([...run(0, true), ...run(60, false)]);
    const keys: { object_key: string; bytes: number }[] = await database.dataSource.query(
      'SELECT object_key, bytes FROM recording_segments WHERE job_id = $1',
      [recorded.stream.jobId],
    );
    for (const { object_key: key, bytes: size } of keys) expect((await objects.stat(key))?.size).toBe(size);
    expect(await recorded.errors()).toEqual([]);
  });

  it('follows the clock of the stream where that of the run is corrected, and goes on with the next run', async () => {
    const recorded = new Recorded(await claimed());
    await recorded.play(bytes, 0, { pace: 0.8 });
    await recorded.play(bytes, 17, { pace: 1.02 });
    await recorded.archive.finish(10_000);
    const listed = await recorded.listed();
    const starts = listed.map(({ timeStart }) => (timeStart.getTime() - NOON) / 1000);
    const expected = [0, 3.2, 6.4, 9.6, 12.8, 16, 17, 21.08, 25.16, 29.24, 33.32, 37.4];
    expect(starts).toHaveLength(expected.length);
    for (const [at, start] of starts.entries()) expect(start).toBeCloseTo(expected[at]!, 1);
    expect(listed.flatMap(({ discontinuity }, at) => (discontinuity ? [at] : []))).toEqual([6]);
  });

  it('goes on within a run whose copying has ended, behind a hole that is named', async () => {
    const recorded = new Recorded(await claimed());
    let hasStumbled = false;
    await recorded.play(bytes, 0, {
      between: async (tap, share = 0) => {
        // The rest takes as long as a pause does.
        if (hasStumbled) return void (await sleep(150));
        hasStumbled = share >= 0.2;
        // More than may wait for it at once.
        if (hasStumbled) tap?.(Buffer.alloc(17 << 20));
      },
    });
    await recorded.archive.finish(10_000);
    const listed = await recorded.listed();
    const starts = listed.map(({ timeStart }) => (timeStart.getTime() - NOON) / 1000);
    expect(starts[0]).toBe(0);
    const after = starts.filter((start) => start > 6);
    expect(after.length).toBeGreaterThan(1);
    for (const start of after) expect(start % 2).toBe(0);
    const last = listed.at(-1)!;
    expect((last.timeStart.getTime() - NOON) / 1000 + last.durationUs / 1e6).toBe(21);
    expect(listed.filter(({ discontinuity }) => discontinuity)).toHaveLength(1);
    expect(await recorded.errors()).toEqual([
      expect.stringMatching(/from \d+\.\d s on nothing is recorded: /),
      expect.stringMatching(/the recording goes on at \d+\.0 s/),
    ]);
  });

  it('leaves out what is read again', async () => {
    const recorded = new Recorded(await claimed());
    recorded.clock.place(NOON, NOON);
    await recorded.play(bytes, 0);
    // As a playlist does that is opened again: it states the times of what it repeats.
    recorded.clock.place(NOON + 25_000, NOON + 12_000);
    const place = recorded.clock.place.bind(recorded.clock);
    recorded.clock.place = (arrived) => place(arrived, NOON + 12_000);
    await recorded.play(bytes, 12);
    await recorded.archive.finish(10_000);
    const listed = await recorded.listed();
    const starts = listed.map(({ timeStart }) => (timeStart.getTime() - NOON) / 1000);
    expect(starts).toEqual([0, 4, 8, 12, 16, 20, 20, 24, 28, 32]);
    // What the second run has of its own is another copy, though its beginning was left out.
    expect(listed.flatMap(({ discontinuity }, at) => (discontinuity ? [at] : []))).toEqual([6]);
  });

  it('never holds the stream up while the store is away, names the hole, and goes on', async () => {
    const state = faulty();
    const recorded = new Recorded(await claimed(), { store: state.store, spoolBytes: bytes.length });
    state.fault = new AditError('UNAVAILABLE', 'The object store is away.');
    expect(await recorded.play(bytes, 0)).toBeLessThan(200);
    await recorded.play(bytes, 30);
    await sleep(1000);
    state.fault = null;
    await sleep(4000);
    await recorded.play(bytes, 60);
    await recorded.archive.finish(10_000);
    const listed = await recorded.listed();
    // The newest were kept, and all that came later.
    const starts = listed.map(({ timeStart }) => (timeStart.getTime() - NOON) / 1000);
    expect(starts.slice(-6)).toEqual([60, 64, 68, 72, 76, 80]);
    expect(listed.length).toBeGreaterThan(9);
    expect(listed.length).toBeLessThan(15);
    expect(await recorded.errors()).toEqual([
      expect.stringMatching(/nothing is recorded: segments could not be stored in time/),
      expect.stringMatching(/the recording goes on at/),
    ]);
  });

  it('pauses where the store refuses a segment, with its reason, and leaves no bytes behind', async () => {
    const state = faulty();
    const recorded = new Recorded(await claimed(), { store: state.store });
    state.fault = new AditError('STORAGE_FULL', 'The disk of the object store is full.');
    await recorded.play(bytes, 0);
    await recorded.archive.finish(10_000);
    expect(await recorded.listed()).toEqual([]);
    expect(await recorded.errors()).toEqual([
      'rtsp://a/b: from 0.0 s on nothing is recorded: The disk of the object store is full.',
    ]);
  });

  it('pauses when the storage quota of its workspace is used up, and says so once', async () => {
    const recorded = new Recorded(await claimed(), { storageBytes: Math.round(bytes.length / 2) });
    await recorded.play(bytes, 0);
    await recorded.archive.finish(10_000);
    const listed = await recorded.listed();
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.length).toBeLessThan(6);
    const end = listed.reduce((sum, { durationUs }) => sum + durationUs, 0) / 1e6;
    expect(await recorded.errors()).toEqual([
      `rtsp://a/b: from ${end.toFixed(1)} s on nothing is recorded: the storage quota of the workspace is used up.`,
    ]);
  });

  it('names pictures that no browser plays, and analyses them all the same', async () => {
    const recorded = new Recorded(await claimed());
    expect(await recorded.play(await asStream(['-c:v', 'mjpeg', '-t', '2']), 0)).toBeLessThan(200);
    await recorded.archive.finish(10_000);
    expect(await recorded.errors()).toEqual([expect.stringMatching(/H\.264.* has mjpeg/)]);
  });

  it('goes on in the next part, in the time of that one', async () => {
    const recorded = new Recorded(await claimed());
    const { stream } = recorded;
    await recorded.play(bytes.subarray(0, bytes.length / 2), 0);
    // The copy of a run may be behind its bytes.
    for (const end = Date.now() + 20_000; (await recorded.listed()).length < 2; await sleep(100)) {
      if (Date.now() > end) throw new Error('nothing was recorded');
    }
    const other = await moved(stream, 10_000_000);
    // What comes before the recorder has heard of it waits for that.
    const playing = recorded.play(bytes, 30);
    await sleep(500);
    recorded.archive.goOn(other, 10_000_000);
    await playing;
    await recorded.archive.finish(10_000);
    const [former, next] = [await recorded.listed(), await listedSegments(database.dataSource, other.jobId, ALL)];
    expect(former.length).toBeGreaterThanOrEqual(2);
    expect(next.map(({ seq }) => seq)).toEqual([...next.keys()]);
    expect(next.at(-1)?.timeStart).toEqual(new Date(NOON + 50_000));
    const rows: { from_us: string; object_key: string }[] = await database.dataSource.query(
      'SELECT from_us, object_key FROM recording_segments WHERE job_id = $1 ORDER BY seq',
      [other.jobId],
    );
    expect(Number(rows.at(-1)?.from_us)).toBe(40_000_000);
    for (const { object_key: key } of rows) expect(key).toContain(`jobs/${other.jobId}/`);
    expect(await recorded.errors()).toEqual([]);
  });

  it('has a segment once that was stored unheard right before a border', async () => {
    const stream = await claimed();
    let next: ClaimedStream | null = null;
    const deaf: Transaction = async (work) => {
      const done = await write(work);
      if (next !== null || (await recorded.listed()).length === 0) return done;
      next = await moved(stream, 2_000_000);
      recorded.archive.goOn(next, 2_000_000);
      throw new AditError('UNAVAILABLE', 'The connection broke off.');
    };
    const recorded = new Recorded(stream, { transaction: deaf });
    await recorded.play(bytes, 0);
    await recorded.archive.finish(10_000);
    const rows: { start: number }[] = await database.dataSource.query(
      `SELECT extract(epoch FROM time_start - $3)::float8 AS start FROM recording_segments WHERE job_id IN ($1, $2)
        ORDER BY start`,
      [stream.jobId, next!.jobId, new Date(NOON)],
    );
    expect(rows.map(({ start }) => start)).toEqual([0, 4, 8, 12, 16, 20]);
    expect(await recorded.listed()).toHaveLength(1);
  });

  it('tells each part in its own time that nothing is recorded', async () => {
    const recorded = new Recorded(await claimed());
    const { stream } = recorded;
    await recorded.play(bytes, 0);
    await recorded.play(await asStream(['-c:v', 'mjpeg', '-t', '2']), 21);
    const next = await moved(stream, 30_000_000);
    recorded.archive.goOn(next, 30_000_000);
    await recorded.play(bytes, 43);
    await recorded.archive.finish(10_000);
    expect(await recorded.errors()).toEqual([expect.stringMatching(/ from \d+\.\d s on nothing is recorded: .*mjpeg/)]);
    expect(await recorded.errors(next.jobId)).toEqual([
      expect.stringMatching(/ from 0\.0 s on nothing is recorded: .*mjpeg/),
      expect.stringMatching(/the recording goes on at 13\.0 s/),
    ]);
  });

  it('records nothing once another recorder has the stream', async () => {
    const recorded = new Recorded(await claimed());
    await database.dataSource.query('UPDATE streams SET fencing_token = fencing_token + 1 WHERE id = $1', [
      recorded.stream.key.id,
    ]);
    await recorded.play(bytes, 0);
    await recorded.archive.finish(10_000);
    expect(await recorded.listed()).toEqual([]);
    for await (const { key } of objects.list(`jobs/${recorded.stream.jobId}/`)) throw new Error(`${key} was left`);
  });
});
