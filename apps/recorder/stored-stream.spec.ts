/** @needs servers */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AditError, frameSpecName, type AudioSpec, type FrameSpec } from '@adit/contracts';
import { inTransaction, openDatabase, type Database } from '@adit/database';
import { FilesystemObjectStore } from '@adit/objects';
import type { OutboxRelay } from '@adit/outbox';
import { endStream, offerStream, StreamClaims, takeOver, type ClaimedStream } from '@adit/streams';
import { filmFacts, specDatabase, type SpecDatabase } from '@adit/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RecorderConfig } from './config.js';
import type { SpooledPiece } from './live-chunks.js';
import type { SpooledItem } from './live-spool.js';
import { Spool } from './spool.js';
import { StoredStream } from './stored-stream.js';
import { Backlog } from './thinning.js';

const SPEC: FrameSpec = { rate: 1, shorterSide: 36 };
const SOUND: AudioSpec = { sampleRate: 16_000, channels: 1, overlapSeconds: 0 };
const SPECS = { frames: [SPEC], sound: [SOUND], startUs: 0 };
const ZERO = new Date('2026-11-30T12:00:00Z');
const config = RecorderConfig.parse({ streamLagSeconds: 600 });
const settings = { ...config, streamsPerWorkspace: 1 };

let folder: string;
let own: SpecDatabase;
let database: Database;
let objects: FilesystemObjectStore;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'adit-parts-'));
  own = await specDatabase();
  database = await openDatabase(own.settings);
  objects = await FilesystemObjectStore.open(folder);
});
afterAll(async () => {
  await database?.close();
  await own?.drop();
  await rm(folder, { recursive: true, force: true });
});

const query = <Row>(sql: string, values: unknown[]): Promise<Row[]> => database.dataSource.query(sql, values);

/** A claimed stream of a new job in parts of 10 s. */
async function claimed(): Promise<ClaimedStream> {
  const [jobId, workspaceId] = [randomUUID(), randomUUID()];
  await query(`INSERT INTO workspaces (id, name, signing_secret) VALUES ($1, 'test', 's')`, [workspaceId]);
  await query(
    `INSERT INTO jobs (id, workspace_id, tag, state, priority, rank, media_type, rotate_seconds)
     VALUES ($1, $2, '', 'waiting', 5, 4, 'videostream', 10)`,
    [jobId, workspaceId],
  );
  await query(`INSERT INTO job_sources (job_id, index, uri, state) VALUES ($1, 0, 'rtsp://a/b', 'waiting')`, [jobId]);
  await query(
    `INSERT INTO job_modules (job_id, module_id, position, posted_as, args, models, media, analyses, state, progress)
     VALUES ($1, 'face_recognition', 0, 'face_recognition', '{}', '[]', '["video"]', '{"faces": "f"}', 'waiting', 0)`,
    [jobId],
  );
  await query(
    `INSERT INTO job_analyses (job_id, digest, analysis, family, args, frames, models)
     VALUES ($1, 'f', 'faces', 'face', '{}', $2, '[]')`,
    [jobId, JSON.stringify([SPEC])],
  );
  await query('INSERT INTO streams (id, job_id, source_index, workspace_id) VALUES ($1, $2, 0, $3)', [
    ...[randomUUID(), jobId, workspaceId],
  ]);
  const stream = await new StreamClaims(database.dataSource, settings).claim(0, 600);
  if (stream?.jobId !== jobId) throw new Error('the stream of the job was not there');
  return stream;
}

/** A claimed stream whose job hears it, too. */
async function heardStream(): Promise<ClaimedStream> {
  const stream = await claimed();
  const { jobId } = stream;
  await query(
    `INSERT INTO job_analyses (job_id, digest, analysis, family, args, frames, audio, models)
     VALUES ($1, 's', 'speech', 'speech', '{}', '[]', $2, '[]')`,
    [jobId, JSON.stringify([SOUND])],
  );
  await query(`UPDATE job_modules SET analyses = '{"faces": "f", "speech": "s"}' WHERE job_id = $1`, [jobId]);
  return stream;
}

/** The stream that was claimed before, after its recorder has died. */
async function claimedAgain({ key }: ClaimedStream): Promise<ClaimedStream> {
  await query(`UPDATE streams SET lease_until = now() - interval '1 s' WHERE id = $1`, [key.id]);
  const stream = await new StreamClaims(database.dataSource, settings).claim(0, 600);
  if (stream === null) throw new Error('the stream was not free');
  return stream;
}

/** A second of 25 frames, whose first one is sampled. */
function second(at: number): SpooledPiece {
  const [frame, pts] = [at * 25, at * 1e6];
  const interval = { frameStart: frame, frameEnd: frame + 25, ptsStart: pts, ptsEnd: pts + 1e6, seekPts: pts };
  const frames = [{ frame, pts, time: at, width: 64, height: 36 }];
  const pictures = new Map([[frameSpecName(SPEC), { frames, jpegs: [Buffer.from('jpeg')] }]]);
  const piece = { interval, pictures, arrived: Date.now() };
  return { id: randomUUID(), piece, facts: filmFacts(), zeroAt: ZERO, reason: null };
}

/** The sound between two seconds. */
function sound(from: number, to: number): SpooledItem {
  const interval = { startMs: from * 1000, endMs: to * 1000 };
  const samples = new Float32Array((to - from) * 16_000);
  return {
    id: randomUUID(),
    sound: { interval, start: from * 16_000, samples, arrived: 0 },
    zeroAt: ZERO,
    reason: null,
  };
}

type Transaction = OutboxRelay['transaction'];
const write: Transaction = (work) => inTransaction(database.dataSource, work);

/** Stores these items, or seconds, of the stream; returns it as it is held then. */
async function store(
  stream: ClaimedStream,
  items: (number | SpooledItem)[],
  transaction: Transaction = write,
  lagChunks = 600,
): Promise<ClaimedStream> {
  const deps = {
    db: database.dataSource,
    outbox: { transaction },
    objects,
    config: { ...config, streamLagSeconds: lagChunks * config.streamChunkSeconds },
    settings: { leaseSeconds: 60, maxAttempts: 3 },
  };
  const stored = new StoredStream(deps, stream, null, null);
  const spool = new Spool<SpooledItem>(1e9);
  for (const item of items) spool.push(typeof item === 'number' ? second(item) : item, 1);
  spool.end();
  await stored.storeAll(spool, SPECS, new AbortController().signal);
  return stored.held;
}

const times = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);
/** Positions, frames and seconds of a job's chunks. */
const chunksOf = async (jobId: string): Promise<number[][]> => {
  const rows = await query<{ position: number; interval: { frameStart: number; ptsStart: number } }>(
    'SELECT position, interval FROM chunks WHERE job_id = $1 ORDER BY position',
    [jobId],
  );
  return rows.map(({ position, interval }) => [position, interval.frameStart / 25, interval.ptsStart / 1e6]);
};
const gapsOf = (jobId: string) =>
  query<{ from: number; to: number; begins: Date }>(
    `SELECT from_us / 1e6::float8 AS from, to_us / 1e6::float8 AS to, time_from AS begins
       FROM stream_gaps WHERE job_id = $1 ORDER BY seq`,
    [jobId],
  );
const errorsOf = async (jobId: string): Promise<string[] | undefined> => {
  const [row] = await query<{ errors: string[] }>('SELECT errors FROM jobs WHERE id = $1', [jobId]);
  return row?.errors;
};
const jobsOf = async (stream: ClaimedStream) =>
  query<{ id: string; previous: string | null; next: string | null; state: string }>(
    `SELECT j.id, j.previous_part AS previous, j.next_part AS next, s.state
       FROM jobs j JOIN job_sources s ON s.job_id = j.id WHERE j.workspace_id = $1 ORDER BY j.time_created`,
    [stream.workspaceId],
  );

describe('a stream in parts, as it is stored', () => {
  it('has each second once, in the part that it is in, counted from its border', async () => {
    const stream = await claimed();
    const held = await store(stream, times(0, 23));
    const [first, middle, last] = await jobsOf(stream);
    expect(held.jobId).toBe(last!.id);
    expect([first, middle, last]).toEqual([
      { id: stream.jobId, previous: null, next: middle!.id, state: 'planned' },
      { id: middle!.id, previous: first!.id, next: last!.id, state: 'planned' },
      { id: last!.id, previous: middle!.id, next: null, state: 'requested' },
    ]);
    for (const { id } of [first!, middle!]) expect(await chunksOf(id)).toEqual(times(0, 10).map((at) => [at, at, at]));
    expect(await chunksOf(last!.id)).toEqual(times(0, 3).map((at) => [at, at, at]));
    for (const { id } of [first!, middle!, last!]) expect(await gapsOf(id)).toEqual([]);
    const facts = await query<{ timecode: string }>(
      `SELECT facts ->> 'startTimecode' AS timecode FROM job_sources WHERE job_id = $1`,
      [last!.id],
    );
    expect(facts).toEqual([{ timecode: '12:00:20:00' }]);
  });

  it('names a break over a border in both parts', async () => {
    const stream = await claimed();
    const { jobId } = await store(stream, [0, 1, 33, 34]);
    expect(await gapsOf(stream.jobId)).toMatchObject([{ from: 2, to: 30, begins: new Date('2026-11-30T12:00:02Z') }]);
    expect(await gapsOf(jobId)).toMatchObject([{ from: 0, to: 3, begins: new Date('2026-11-30T12:00:30Z') }]);
    expect(await chunksOf(jobId)).toEqual([
      [0, 0, 3],
      [1, 1, 4],
    ]);
  });

  it('has one next part, though the recorder does not hear of it', async () => {
    const stream = await claimed();
    let isLost = true;
    const deaf: Transaction = async (work) => {
      const done = await write(work);
      const [row] = await query<{ next: string | null }>('SELECT next_part AS next FROM jobs WHERE id = $1', [
        stream.jobId,
      ]);
      if (row?.next == null || !isLost) return done;
      isLost = false;
      throw new AditError('UNAVAILABLE', 'The connection broke off.');
    };
    const { jobId } = await store(stream, times(8, 12), deaf);
    expect(isLost).toBe(false);
    expect(await jobsOf(stream)).toHaveLength(2);
    expect(await chunksOf(jobId)).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
  });

  it('goes on in a part that has begun unheard, though another recorder is to take it over by now', async () => {
    const stream = await claimed();
    let isLost = true;
    const deaf: Transaction = async (work) => {
      const done = await write(work);
      if (!isLost || (await jobsOf(stream)).length < 2) return done;
      isLost = false;
      await offerStream(database.dataSource.manager, stream);
      throw new AditError('UNAVAILABLE', 'The connection broke off.');
    };
    const { jobId } = await store(stream, times(8, 12), deaf);
    expect(isLost).toBe(false);
    expect(jobId).not.toBe(stream.jobId);
    expect(await chunksOf(jobId)).toEqual([
      [0, 0, 0],
      [1, 1, 1],
    ]);
    expect(await write((manager) => endStream(manager, stream, 'completed'))).toBe(false);
  });

  it('is held over a border by a repeated attempt, and a later one counts anew', async () => {
    const repeated = await claimedAgain(await claimed());
    expect(repeated.attempt).toBe(2);
    const next = await store(repeated, times(8, 12));
    expect(next.jobId).not.toBe(repeated.jobId);
    expect(await chunksOf(next.jobId)).toHaveLength(2);
    await query('UPDATE streams SET last_us = 0 WHERE id = $1', [next.key.id]);
    expect(await claimedAgain(next)).toMatchObject({ jobId: next.jobId, attempt: 1 });
  });

  it('counts what waits to be analysed over its parts, and goes on with the rate', async () => {
    const stream = await claimed();
    const next = await store(stream, [...times(0, 11), 20], write, 9);
    expect(await errorsOf(next.jobId)).toContainEqual(expect.stringContaining('one picture of 4 is analysed'));
    const stateOf = () => new Backlog(database.dataSource, next.jobId, 5).state();
    expect(await stateOf()).toBe('full');
    await query(`UPDATE jobs SET state = 'completed' WHERE id = $1`, [stream.jobId]);
    expect(await stateOf()).toBe('some');
  });

  const LATE = 'it could not be stored in time.';

  it('names sound that is missing before a border, and none where nobody hears it', async () => {
    const stream = await heardStream();
    const items = [0, sound(0, 3), ...times(1, 11)];
    await store(stream, items);
    expect(await gapsOf(stream.jobId)).toMatchObject([{ from: 3, to: 10, begins: new Date('2026-11-30T12:00:03Z') }]);
    expect(await errorsOf(stream.jobId)).toContain(
      'rtsp://a/b: no sound of 3.0 s to 10.0 s was analysed: none arrived.',
    );

    const late = await heardStream();
    await store(late, [0, sound(0, 3), ...times(1, 9), { ...sound(12, 14), reason: LATE }, ...times(9, 12)]);
    expect(await errorsOf(late.jobId)).toContain(`rtsp://a/b: no sound of 3.0 s to 10.0 s was analysed: ${LATE}`);

    const silent = await heardStream();
    await store(silent, times(0, 11));
    expect(await gapsOf(silent.jobId)).toEqual([]);
  });

  it('names it once where the pictures are missing, too', async () => {
    const stream = await heardStream();
    await store(stream, [0, sound(0, 3), 1, 2, 12]);
    expect(await gapsOf(stream.jobId)).toMatchObject([{ from: 3, to: 10 }]);
  });

  it('is not split while another recorder takes it over, but by that one', async () => {
    const stream = await claimed();
    await offerStream(database.dataSource.manager, stream);
    expect((await store(stream, times(8, 12))).jobId).toBe(stream.jobId);
    const offer = { stream, heldWith: stream.token, reservedUntil: new Date().toISOString() };
    const taken = await takeOver(database.dataSource.manager, offer, 60, config);
    expect(taken?.position).toMatchObject({ lastUs: 12_000_000 });
    const next = await store(taken!, [12]);
    expect(next.jobId).not.toBe(stream.jobId);
    expect(await chunksOf(next.jobId)).toEqual([[0, 0, 2]]);
    expect([await gapsOf(stream.jobId), await gapsOf(next.jobId)]).toEqual([[], []]);
  });

  it('goes on where a recorder died behind a border, before the first picture of the part', async () => {
    const stream = await claimed();
    const next = await store(stream, [8, 9, 10]);
    await query('DELETE FROM chunks WHERE job_id = $1', [next.jobId]);
    await query(`UPDATE job_sources SET state = 'waiting', facts = NULL WHERE job_id = $1`, [next.jobId]);
    await query(`UPDATE jobs SET state = 'waiting' WHERE id = $1`, [next.jobId]);
    await query(
      `UPDATE streams SET next_position = 0, last_us = 0, frames = 0, lease_until = now() - interval '1 s' WHERE job_id = $1`,
      [next.jobId],
    );
    const heir = await new StreamClaims(database.dataSource, settings).claim(0, 600);
    expect(heir?.jobId).toBe(next.jobId);
    const piece = { ...second(2), zeroAt: heir!.position.zeroAt! };
    expect(piece.zeroAt).toEqual(new Date('2026-11-30T12:00:10Z'));
    await store(heir!, [2]);
    expect(await gapsOf(next.jobId)).toMatchObject([{ from: 0, to: 2 }]);
  });
});
