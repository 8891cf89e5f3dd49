/** @needs ffmpeg */
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { clipDigest, expireClip, expiredClips, removeClips, requestClip } from '@adit/artifacts';
import type { Bus } from '@adit/bus';
import { AditError, JobRequest } from '@adit/contracts';
import { ClipEntity, JobEntity, openDatabase, WorkspaceEntity, type ClipCut, type Database } from '@adit/database';
import { JobCommands, type NewJob } from '@adit/jobs';
import { archiveRun, openHead, type ArchivedSegment } from '@adit/media';
import { FilesystemObjectStore } from '@adit/objects';
import { OutboxRelay } from '@adit/outbox';
import { addSegment, recordingPrefix, StreamClaims } from '@adit/streams';
import { ffmpegProgram, numberedFilm, playedNumbers, specDatabase, transcode, type SpecDatabase } from '@adit/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Clips } from './clips.js';
import { DecoderConfig } from './config.js';
import { MediaCatalogue } from './media-catalogue.js';
import { MemoryAdmission } from './memory-admission.js';
import { SourceCache } from './source-cache.js';

const run = promisify(execFile);
const FILM = ['-f', 'lavfi', '-i', numberedFilm({ seconds: 12 })].concat([
  '-pix_fmt',
  'yuv420p',
  '-c:v',
  'libx264',
  '-preset',
  'veryfast',
  '-bf',
  '2',
  '-g',
  '50',
]);
const CAMERA = 'rtsp://camera.example.org/live';

describe('a clip that was asked for', () => {
  const workspaceId = randomUUID();
  const bus = { publish: () => Promise.resolve() } as unknown as Bus;
  let folder: string;
  let own: SpecDatabase;
  let database: Database;
  let objects: FilesystemObjectStore;
  let outbox: OutboxRelay;
  let cache: SourceCache;
  let clips: Clips;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-clips-'));
    own = await specDatabase();
    database = await openDatabase(own.settings);
    const db = database.dataSource;
    objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    await db.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
    outbox = new OutboxRelay(db, bus);
    await copyFile(await transcode('clip-task.mp4', FILM), join(folder, 'film.mp4'));
    const config = DecoderConfig.parse({ localRoots: [folder] });
    const work = join(folder, 'work');
    cache = new SourceCache(work, config, objects, db);
    const memory = new MemoryAdmission(1e9);
    const catalogue = new MediaCatalogue(db, objects, config, memory);
    clips = new Clips(db, objects, cache, catalogue, memory, config, work);
  });
  afterEach(async () => {
    await clips?.onApplicationShutdown();
    await cache?.onApplicationShutdown();
    await outbox?.onApplicationShutdown();
    await database?.close();
    await own?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const jobOf = async (source: string, more: Pick<NewJob, 'live'> = {}): Promise<string> => {
    const request = JobRequest.parse({ sources: [source], modules: { face_recognition: {} } });
    const module = { moduleId: 'face_recognition', postedAs: 'face_recognition', args: {}, range: null, models: [] };
    const modules = [{ ...module, media: ['video' as const], analyses: [] }];
    const mediaType = source === CAMERA ? ('videostream' as const) : ('video' as const);
    const order = { workspaceId, request, modules, mediaType, traceparent: null, ...more };
    return (await new JobCommands(outbox, objects).submit(order)).job.id;
  };
  const digestOf = async (path: string) =>
    createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
  const asked = async (jobId: string, more: Partial<ClipCut>): Promise<string> => {
    const id = randomUUID();
    const span = { frames: { first: 60, last: 80 }, timeStart: 2.4, timeEnd: 3.2, handles: 0, exact: true };
    const cut = { source: 0, mediaDigest: null, ...span, ...more };
    await outbox.transaction((manager) => requestClip(manager, { id, workspaceId, jobId, cut }));
    return id;
  };
  const ended = async (id: string): Promise<ClipEntity> => {
    await clips.idle();
    return database.dataSource.manager.findOneByOrFail(ClipEntity, { id });
  };
  const fileOf = async ({ objectKey }: ClipEntity): Promise<string> => {
    const path = join(folder, randomUUID());
    await writeFile(path, await objects.read(objectKey ?? ''));
    return path;
  };
  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of objects.list('jobs/')) found.push(key);
    return found.filter((key) => key.includes('/clips/'));
  };

  it('is cut from the source, stored with its job and kept for a day', async () => {
    const path = join(folder, 'film.mp4');
    const jobId = await jobOf(path);
    const id = await asked(jobId, { mediaDigest: await digestOf(path) });
    const clip = await ended(id);
    expect(clip).toMatchObject({ state: 'completed', mimeType: 'video/mp4', errorCode: null, leaseUntil: null });
    expect(clip.objectKey).toContain(`jobs/${jobId}/`);
    const file = await fileOf(clip);
    expect((await readFile(file)).length).toBe(Number(clip.size));
    expect(await playedNumbers(file, 0)).toEqual(Array.from({ length: 21 }, (_, at) => 60 + at));
    const hours = (Number(clip.timeExpires) - Date.now()) / 3_600_000;
    expect(Math.abs(hours - 24)).toBeLessThan(0.1);
    expect(await readdir(join(folder, 'work'))).not.toContainEqual(expect.stringMatching(/^clip-/));
  });

  it.each([
    ['is gone', async (path: string) => rm(path), 'SOURCE_REFUSED'],
    ['is another file since', async (path: string) => writeFile(path, 'changed'), 'NOT_FOUND'],
  ])('a source that %s has a reason, and the clip is asked for anew a minute later', async (_, change, code) => {
    const path = join(folder, 'film.mp4');
    const jobId = await jobOf(path);
    const mediaDigest = await digestOf(path);
    await change(path);
    const id = await asked(jobId, { mediaDigest });
    const clip = await ended(id);
    expect(clip).toMatchObject({ state: 'failed', errorCode: code, objectKey: null });
    expect(clip.errorMsg).not.toBe('');
    const { manager } = database.dataSource;
    await asked(jobId, { mediaDigest });
    expect(await manager.countBy(ClipEntity, { jobId })).toBe(1);
    await manager.update(ClipEntity, { id }, { timeExpires: new Date(0) });
    const again = await asked(jobId, { mediaDigest });
    expect(await manager.findBy(ClipEntity, { jobId })).toMatchObject([{ id: again, state: 'waiting' }]);
  });

  it('a clip of a deleted job is left, and one that is forgotten meanwhile leaves no file', async () => {
    const path = join(folder, 'film.mp4');
    const jobId = await jobOf(path);
    const id = await asked(jobId, { mediaDigest: await digestOf(path) });
    const { manager } = database.dataSource;
    await manager.update(JobEntity, { id: jobId }, { timeDeleted: new Date() });
    expect((await ended(id)).state).toBe('waiting');
    await manager.update(JobEntity, { id: jobId }, { timeDeleted: null });
    const put = objects.put.bind(objects);
    objects.put = async (...args) => {
      if (args[0].includes('/clips/')) await manager.delete(ClipEntity, { id });
      return put(...args);
    };
    await clips.idle();
    expect(await keys()).toEqual([]);
  });

  it('what stays away for half an hour fails a clip, and not before', async () => {
    const path = join(folder, 'film.mp4');
    const jobId = await jobOf(path);
    const id = await asked(jobId, { mediaDigest: await digestOf(path) });
    cache.use = () => Promise.reject(new AditError('UNAVAILABLE', 'The disk is full.'));
    const { manager } = database.dataSource;
    expect(await ended(id)).toMatchObject({ state: 'processing', attempts: 0 });
    await manager.update(
      ClipEntity,
      { id },
      { timeCreated: new Date(Date.now() - 31 * 60_000), leaseUntil: new Date(0) },
    );
    expect(await ended(id)).toMatchObject({ state: 'failed', errorCode: 'UNAVAILABLE', errorMsg: 'The disk is full.' });
  });

  it('of a job that is gone none is asked for', async () => {
    const jobId = await jobOf(join(folder, 'film.mp4'));
    const { manager } = database.dataSource;
    await manager.update(JobEntity, { id: jobId }, { timeDeleted: new Date() });
    await expect(asked(jobId, {})).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await manager.countBy(ClipEntity, { jobId })).toBe(0);
  });

  it('goes with the files of all attempts, whether it ended or was forgotten', async () => {
    const jobId = await jobOf(join(folder, 'film.mp4'));
    const { manager } = database.dataSource;
    const now = new Date();
    const prefix = async (id: string): Promise<unknown> =>
      (
        await manager.query('SELECT prefix, again FROM object_removals WHERE prefix = $1', [
          `jobs/${jobId}/clips/${id}/`,
        ])
      )[0];
    const crashed = await asked(jobId, { timeStart: 1 });
    const young = await asked(jobId, { timeStart: 2 });
    await manager.update(ClipEntity, { id: crashed }, { timeCreated: new Date(now.getTime() - 3_601_000) });
    expect(await expiredClips(manager, now, 10)).toEqual([{ id: crashed }]);
    for (const id of [crashed, young]) await expireClip(manager, id, now);
    expect([await prefix(crashed), await prefix(young)]).toEqual([expect.objectContaining({ again: true }), undefined]);
    await manager.update(JobEntity, { id: jobId }, { timeDeleted: now });
    expect(await expiredClips(manager, now, 10)).toEqual([{ id: young }]);
    const busy = { state: 'processing', leaseUntil: new Date(now.getTime() + 60_000) } as const;
    await manager.update(ClipEntity, { id: young }, busy);
    expect(await expiredClips(manager, now, 10)).toEqual([]);
    expect(await removeClips(manager, [jobId])).toEqual([`jobs/${jobId}/clips/${young}/`]);
    expect(await prefix(young)).toMatchObject({ again: true });
  });

  it('the end of the process leaves a clip to another, without blame', async () => {
    const path = join(folder, 'film.mp4');
    const jobId = await jobOf(path);
    const id = await asked(jobId, { mediaDigest: await digestOf(path) });
    const use = cache.use.bind(cache);
    let shutDown: Promise<void> | undefined;
    cache.use = (source, work, signal) => {
      shutDown = clips.onApplicationShutdown();
      return use(source, work, signal);
    };
    await clips.idle();
    await shutDown;
    const { manager } = database.dataSource;
    expect(await manager.findOneByOrFail(ClipEntity, { id })).toMatchObject({ state: 'processing', attempts: 0 });
  });

  /** Twelve seconds of a stream as its recorder stores them, after an hour. */
  const recorded = async (jobId: string): Promise<void> => {
    const { stdout } = await run(
      ffmpegProgram(),
      ['-v', 'error', '-i', join(folder, 'film.mp4'), '-c', 'copy', '-f', 'nut', 'pipe:1'],
      { encoding: 'buffer', maxBuffer: 1 << 26 },
    );
    const live = {
      container: 'nut' as const,
      body: Readable.from([stdout]),
      isSegmented: true,
      statedTime: null,
      gap: null,
    };
    const head = await openHead(live, { directory: folder, signal: new AbortController().signal });
    head.body.destroy();
    const archive = await archiveRun(head, 'nut');
    archive.take(stdout);
    archive.end();
    const segments: ArchivedSegment[] = [];
    for await (const segment of archive.segments) segments.push(segment);
    const claims = new StreamClaims(database.dataSource, { streamsPerWorkspace: 100, streamsPerRecorder: 100 });
    const stream = await claims.claim(0, 60);
    if (stream === null) throw new Error('The job has no stream.');
    for (const { init, bytes, startUs, durationUs } of segments) {
      const objectKey = `${recordingPrefix(jobId)}${randomUUID()}.m4s`;
      await objects.put(objectKey, bytes);
      const times = { fromUs: 3_600_000_000 + startUs, durationUs, timeStart: new Date(), discontinuity: false };
      await outbox.transaction((manager) =>
        addSegment(manager, stream, { objectKey, bytes: bytes.length, ...times, header: init }),
      );
    }
  };

  it('a recording has clips of what it keeps, in its own time, and none across a break', async () => {
    const jobId = await jobOf(CAMERA, { live: { address: null, recordSeconds: 60 } });
    await recorded(jobId);
    const span = { frames: null, timeStart: 3604.8, timeEnd: 3606.4 };
    const clip = await ended(await asked(jobId, span));
    expect([clip.state, clip.errorMsg]).toEqual(['completed', null]);
    expect(await playedNumbers(await fileOf(clip), 0)).toEqual(Array.from({ length: 41 }, (_, at) => 120 + at));
    const before = await ended(await asked(jobId, { ...span, timeStart: 100, timeEnd: 102 }));
    expect(before).toMatchObject({ state: 'failed', errorCode: 'NOT_FOUND' });
    await database.dataSource.query(
      'UPDATE recording_segments SET discontinuity = true WHERE job_id = $1 AND seq = 1',
      [jobId],
    );
    const broken = await ended(await asked(jobId, { ...span, timeStart: 3602, timeEnd: 3610 }));
    expect(broken).toMatchObject({ state: 'failed', errorMsg: expect.stringContaining('broke off') });
  });

  it('a clip has the name of what it shows and how', () => {
    const cut = { source: 0, mediaDigest: 'a', frames: null, timeStart: 1, timeEnd: 2, handles: 0, exact: false };
    const others = [{ source: 1 }, { mediaDigest: 'b' }, { frames: { first: 1, last: 2 } }, { timeStart: 0 }].concat([
      { timeEnd: 3 },
      { handles: 1 },
      { exact: true },
    ] as never);
    const names = [cut, { ...cut }, ...others.map((other) => ({ ...cut, ...other }))].map(clipDigest);
    expect(new Set(names).size).toBe(names.length - 1);
  });
});
