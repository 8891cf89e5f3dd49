import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, OutgoingMessage } from '@adit/bus';
import { AditError, JobRequest, type ErrorCode, type VideoFacts } from '@adit/contracts';
import {
  ChunkAnalysisEntity,
  ChunkEntity,
  FoldEntity,
  JobEntity,
  JobSourceEntity,
  ObservationEntity,
  openDatabase,
  WorkspaceEntity,
  type Database,
} from '@adit/database';
import { FilesystemObjectStore, type ObjectStore } from '@adit/objects';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { assignIdentity } from './identities.js';
import { JobCommands } from './job-commands.js';
import { LockedJob } from './locked-job.js';
import type { NewJob, ResolvedAnalysis } from './new-job.js';
import { cacheExpiry } from './observation-cache.js';
import { OutboxRelay } from './outbox.js';
import { Reconciler } from './reconciler.js';
import { Scheduler } from './scheduler.js';
import { JobSettings } from './settings.js';
import { planFilm } from './source-plan.js';
import { claimTry, runTry, triedAnalysis, triedChunk, triedSource } from './tries.js';

const faces: ResolvedAnalysis = {
  analysis: 'faces',
  family: 'face',
  digest: 'f'.repeat(64),
  args: {},
  frames: [{ rate: 2, shorterSide: 600 }],
  models: [],
};

const film: VideoFacts = {
  kind: 'video',
  container: 'mp4',
  codec: 'h264',
  stream: 0,
  width: 360,
  height: 288,
  fps: { num: 25, den: 1 },
  variableFrameRate: false,
  totalFrames: 1000,
  duration: 40,
  timeBase: { num: 1, den: 25 },
  startPts: 0,
  startTimecode: null,
  rotation: 0,
  interlaced: false,
  sampleAspectRatio: { num: 1, den: 1 },
  bitDepth: 8,
  hdr: false,
  audioStreams: [],
};
const grid = [0, 1, 2, 3].map((index) => ({
  frameStart: index * 250,
  frameEnd: (index + 1) * 250,
  ptsStart: index * 250,
  ptsEnd: (index + 1) * 250,
  seekPts: index * 250,
}));

/** Accepts everything and keeps it, so that a test sees what left through the outbox. */
class RecordingBus implements Bus {
  readonly messages: OutgoingMessage[] = [];
  publish(messages: OutgoingMessage[]): Promise<void> {
    this.messages.push(...messages);
    return Promise.resolve();
  }
  subscribe(): never {
    throw new Error('nobody subscribes here');
  }
  lag = () => Promise.resolve([]);
  ping = () => Promise.resolve();
  close = () => Promise.resolve();
  of(topic: string, jobId: string): OutgoingMessage[] {
    return this.messages.filter((message) => message.topic === topic && message.envelope.jobId === jobId);
  }
}

describe('the flow of a job through its store', () => {
  let folder: string;
  let database: Database;
  let objects: ObjectStore;
  const bus = new RecordingBus();
  const settings = JobSettings.parse({ maxChunksInFlight: 3, chunksPerJob: 2, leaseSeconds: 60 });
  let outbox: OutboxRelay;
  let commands: JobCommands;
  let scheduler: Scheduler;
  let reconciler: Reconciler;
  let workspaceId: string;

  const newJob = (sources = ['storage://film']): NewJob => ({
    workspaceId,
    request: JobRequest.parse({ sources, modules: { face_recognition: {} } }),
    modules: [
      {
        moduleId: 'face_recognition',
        postedAs: 'face_recognition',
        args: {},
        range: null,
        models: [],
        analyses: [faces],
      },
    ],
    mediaType: 'video',
    traceparent: null,
  });
  const submit = async (sources?: string[]): Promise<string> => (await commands.submit(newJob(sources))).job.id;
  const settled = async (): Promise<void> => {
    scheduler.nudge();
    await scheduler.idle();
    await outbox.idle();
  };
  const db = () => database.dataSource;
  const locked = <T>(jobId: string, work: (job: LockedJob) => Promise<T>): Promise<T> =>
    outbox.transaction(async (manager) => work((await LockedJob.take(manager, jobId))!));
  const openFilm = async (jobId: string, digest: string): Promise<void> => {
    await claimTry(db(), triedSource(jobId, 0), 60);
    await outbox.transaction(async (manager) => {
      const job = (await LockedJob.take(manager, jobId))!;
      await job.apply({ kind: 'opened' });
      const wanted = [{ moduleId: 'face_recognition', intervals: grid }];
      await planFilm(manager, job, 0, { digest, facts: film }, wanted);
    });
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adit-jobs-'));
    database = await openDatabase({ driver: 'pglite', directory: null });
    objects = await FilesystemObjectStore.open(join(folder, 'objects'));
    outbox = new OutboxRelay(database.dataSource, bus);
    commands = new JobCommands(outbox, objects);
    scheduler = new Scheduler(outbox, settings, db());
    reconciler = new Reconciler(outbox, scheduler, settings);
  }, 60_000);

  beforeEach(async () => {
    await database.dataSource.query('UPDATE jobs SET time_deleted = now() WHERE time_deleted IS NULL');
    workspaceId = randomUUID();
    await database.dataSource.manager.insert(WorkspaceEntity, { id: workspaceId, name: 'test', signingSecret: 's' });
  });

  afterAll(async () => {
    await scheduler.onApplicationShutdown();
    await outbox.onApplicationShutdown();
    await database.close();
    await rm(folder, { recursive: true });
  });

  it('opens the first source of a submitted job, once', async () => {
    const jobId = await submit();
    await settled();
    await settled();
    expect(bus.of('jobs.submitted', jobId)).toHaveLength(1);
    expect(bus.of('sources.requested', jobId).map(({ envelope }) => envelope.payload)).toEqual([{ sourceIndex: 0 }]);
    expect(await database.dataSource.query('SELECT count(*)::int AS left FROM outbox')).toEqual([{ left: 0 }]);
  });

  it('keeps no more chunks of a job in flight than its credits, and gives a credit back when one is done', async () => {
    const jobId = await submit();
    await settled();
    await openFilm(jobId, 'a'.repeat(64));
    await settled();
    const requested = bus.of('chunks.requested', jobId);
    expect(requested).toHaveLength(2);
    const [first] = await db().manager.find(ChunkEntity, { where: { jobId }, order: { position: 'ASC' } });
    expect(requested[0]!.envelope.payload).toEqual({ chunkId: first!.id });
    await db().manager.update(ChunkEntity, { id: first!.id }, { state: 'done' });
    await settled();
    expect(bus.of('chunks.requested', jobId)).toHaveLength(3);
  });

  it('shares the global cap between workspaces', async () => {
    const films = [await submit(), await submit()];
    await settled();
    for (const [index, jobId] of films.entries()) await openFilm(jobId, `b${index}`.padEnd(64, '0'));
    await settled();
    expect(films.flatMap((jobId) => bus.of('chunks.requested', jobId))).toHaveLength(3);
    workspaceId = randomUUID();
    await db().manager.insert(WorkspaceEntity, { id: workspaceId, name: 'other', signingSecret: 's' });
    const photos = [await submit(['storage://photo']), await submit(['storage://photo'])];
    const asked = (): number => photos.flatMap((photo) => bus.of('sources.requested', photo)).length;
    await settled();
    // One beyond the cap, since the workspace had nothing in flight.
    expect(asked()).toBe(1);
    await db().manager.update(ChunkEntity, { jobId: films[0]!, state: 'requested' }, { state: 'done' });
    await db().manager.update(ChunkEntity, { jobId: films[0]!, state: 'planned' }, { state: 'done' });
    await db().manager.update(ChunkEntity, { jobId: films[1]!, state: 'planned' }, { state: 'done' });
    await settled();
    expect(asked()).toBe(2);
  });

  it('plans known media as done', async () => {
    const mediaDigest = 'c'.repeat(64);
    for (const { frameStart, frameEnd } of grid) {
      await db().manager.insert(ObservationEntity, {
        workspaceId,
        mediaDigest,
        interval: `${frameStart}-${frameEnd}`,
        analysisDigest: faces.digest,
        objectKey: `media/${frameStart}`,
        timeExpires: cacheExpiry(),
      });
    }
    const jobId = await submit();
    await settled();
    await openFilm(jobId, mediaDigest);
    await settled();
    expect(bus.of('chunks.requested', jobId)).toHaveLength(0);
    expect(bus.of('sources.planned', jobId)).toHaveLength(1);
    const states = (await db().manager.findBy(ChunkAnalysisEntity, { jobId })).map((row) => row.state);
    expect(states).toEqual(['done', 'done', 'done', 'done']);
    expect((await db().manager.findOneByOrFail(FoldEntity, { jobId })).chunkIds).toHaveLength(4);
  });

  it('counts tries before the work, and claims nothing for a job that has ended', async () => {
    const jobId = await submit();
    await settled();
    await openFilm(jobId, 'd'.repeat(64));
    await settled();
    const [chunk] = await db().manager.findBy(ChunkEntity, { jobId, state: 'requested' });
    expect(await claimTry(db(), triedChunk(chunk!.id), 60)).toBe(1);
    expect(await claimTry(db(), triedChunk(chunk!.id), 60)).toBe(2);
    expect(await claimTry(db(), triedAnalysis(chunk!.id, faces.digest), 60)).toBeNull();
    await commands.stop(workspaceId, jobId);
    expect(await claimTry(db(), triedChunk(chunk!.id), 60)).toBeNull();
    await expect(commands.stop(workspaceId, jobId)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  describe('a try', () => {
    /** A chunk that waits to be decoded, and how its row stands. */
    const requested = async (digest: string) => {
      const jobId = await submit();
      await settled();
      await openFilm(jobId, digest.repeat(64));
      await settled();
      const [chunk] = await db().manager.findBy(ChunkEntity, { jobId, state: 'requested' });
      const row = () => db().manager.findOneByOrFail(ChunkEntity, { id: chunk!.id });
      const begin = async (leaseSeconds = 60, signal = new AbortController().signal) => {
        const work = triedChunk(chunk!.id);
        const attempt = (await claimTry(db(), work, leaseSeconds))!;
        return { db: db(), settings: { leaseSeconds, maxAttempts: 3 }, work, attempt, signal };
      };
      return { jobId, row, begin };
    };
    const fails = (code: ErrorCode) => () => Promise.reject(new AditError(code, 'it did not work'));
    const given: string[] = [];
    const giveUp = async (problem: AditError) => void given.push(problem.message);
    beforeEach(() => void given.splice(0));

    it('is not blamed for a dependency that is away, and is dispatched again a little later', async () => {
      const { row, begin } = await requested('1');
      for (let round = 0; round < 5; round++) await runTry(await begin(), fails('UNAVAILABLE'), giveUp);
      const { attempts, leaseUntil, state } = await row();
      expect({ attempts, state, given }).toEqual({ attempts: 0, state: 'requested', given: [] });
      expect(leaseUntil!.getTime() - Date.now()).toBeGreaterThan(1_000);
      expect(leaseUntil!.getTime() - Date.now()).toBeLessThan(10_000);
    });

    it('throws what may go well next time until the tries are used up, then gives up with the reason', async () => {
      const { row, begin } = await requested('2');
      await expect(runTry(await begin(), fails('LIMIT_EXCEEDED'), giveUp)).rejects.toThrow('it did not work');
      await expect(runTry(await begin(), fails('LIMIT_EXCEEDED'), giveUp)).rejects.toThrow('it did not work');
      expect(given).toEqual([]);
      // Poison ends as a dead letter: an error the bus does not retry.
      await expect(runTry(await begin(), fails('LIMIT_EXCEEDED'), giveUp)).rejects.toMatchObject({
        retryable: false,
        message: 'decoding was given up after 3 tries: it did not work',
      });
      expect(given).toEqual(['it did not work']);
      let ran = false;
      const tooMany = runTry(await begin(), async () => void (ran = true), giveUp);
      await expect(tooMany).rejects.toMatchObject({
        retryable: false,
        message: 'decoding was given up after 3 tries',
      });
      expect({ ran, last: given.at(-1), attempts: (await row()).attempts }).toEqual({
        ran: false,
        last: 'decoding was given up after 3 tries',
        attempts: 4,
      });
    });

    it('gives up at once on what another try cannot mend', async () => {
      const { begin } = await requested('3');
      await runTry(await begin(), fails('MEDIA_INVALID'), giveUp);
      expect(given).toEqual(['it did not work']);
    });

    it('is handed back by an orderly shutdown', async () => {
      const { row, begin } = await requested('4');
      const shutdown = new AbortController();
      const ending = runTry(
        await begin(60, shutdown.signal),
        (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
        giveUp,
      );
      shutdown.abort(new Error('closing'));
      await expect(ending).rejects.toThrow('closing');
      const { attempts, leaseUntil } = await row();
      expect(attempts).toBe(0);
      expect(leaseUntil!.getTime()).toBeLessThanOrEqual(Date.now() + 100);
      expect(given).toEqual([]);
    });

    it('keeps its lease alive for as long as it runs', async () => {
      const { row, begin } = await requested('5');
      const until: number[] = [];
      await runTry(
        await begin(0.6),
        async () => {
          for (let look = 0; look < 4; look++) {
            await new Promise((resolve) => setTimeout(resolve, 500));
            until.push((await row()).leaseUntil!.getTime());
            await reconciler.run();
          }
        },
        giveUp,
      );
      expect(new Set(until).size).toBeGreaterThan(2);
      expect((await row()).attempts).toBe(1);
    });

    it.each([
      { why: 'another process begins the next one', digest: '6', stopsJob: false, attempts: 2 },
      { why: 'its job is stopped', digest: '7', stopsJob: true, attempts: 1 },
    ])('stops when $why, and neither fails nor hands back anything', async ({ digest, stopsJob, attempts }) => {
      const { jobId, row, begin } = await requested(digest);
      const first = await begin(0.3);
      const ending = runTry(
        first,
        (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
        giveUp,
      );
      await (stopsJob ? commands.stop(workspaceId, jobId) : begin());
      await ending;
      expect(given).toEqual([]);
      expect((await row()).attempts).toBe(attempts);
    });
  });

  it('dispatches again what a dead process was doing', async () => {
    const jobId = await submit();
    await settled();
    expect(bus.of('sources.requested', jobId)).toHaveLength(1);
    await reconciler.run();
    expect(bus.of('sources.requested', jobId)).toHaveLength(1);
    await reconciler.recover();
    await settled();
    expect(bus.of('sources.requested', jobId)).toHaveLength(2);
  });

  it('does not blame what was decoded beside an analysis when the process died', async () => {
    const jobId = await submit();
    await settled();
    await openFilm(jobId, '9'.repeat(64));
    await settled();
    const [analysed, decoding] = await db().manager.findBy(ChunkEntity, { jobId, state: 'requested' });
    await claimTry(db(), triedChunk(decoding!.id), 60);
    const suspect = { chunkId: analysed!.id, digest: faces.digest };
    await db().manager.update(ChunkAnalysisEntity, suspect, { state: 'requested' });
    await claimTry(db(), triedAnalysis(analysed!.id, faces.digest), 60);
    await reconciler.recover();
    expect((await db().manager.findOneByOrFail(ChunkEntity, { id: decoding!.id })).attempts).toBe(0);
    expect((await db().manager.findOneByOrFail(ChunkAnalysisEntity, suspect)).attempts).toBe(1);
    await db().manager.update(ChunkAnalysisEntity, suspect, { state: 'done' });
    await claimTry(db(), triedChunk(decoding!.id), 60);
    await reconciler.recover();
    expect((await db().manager.findOneByOrFail(ChunkEntity, { id: decoding!.id })).attempts).toBe(1);
  });

  it('retries a stopped job from where it stood', async () => {
    const jobId = await submit();
    await settled();
    await openFilm(jobId, 'e'.repeat(64));
    await settled();
    const [done] = await db().manager.findBy(ChunkEntity, { jobId, position: 0 });
    await db().manager.update(ChunkAnalysisEntity, { chunkId: done!.id }, { state: 'done' });
    await db().manager.update(ChunkEntity, { id: done!.id }, { state: 'done' });
    await commands.stop(workspaceId, jobId);
    await commands.retry(workspaceId, jobId);
    const states = (await db().manager.find(ChunkEntity, { where: { jobId }, order: { position: 'ASC' } })).map(
      (chunk) => chunk.state,
    );
    expect(states).toEqual(['done', 'planned', 'planned', 'planned']);
    expect((await db().manager.findOneByOrFail(JobEntity, { id: jobId })).state).toBe('waiting');
    await settled();
    expect(bus.of('chunks.requested', jobId).length).toBeGreaterThan(2);
  });

  it('leaves a tombstone when a job is deleted, and hides other workspaces’ jobs', async () => {
    const jobId = await submit();
    await expect(commands.delete(randomUUID(), jobId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await commands.delete(workspaceId, jobId);
    await expect(commands.delete(workspaceId, jobId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await db().manager.countBy(JobSourceEntity, { jobId })).toBe(0);
    expect((await db().manager.findOneByOrFail(JobEntity, { id: jobId })).timeDeleted).not.toBeNull();
    expect(await outbox.transaction((manager) => LockedJob.take(manager, jobId))).toBeNull();
  });

  it('keeps one error of a kind and raises the events of a module’s end in order', async () => {
    const jobId = await submit();
    await locked(jobId, async (job) => {
      await job.apply({ kind: 'opened' });
      await job.failModule('face_recognition', 'no weights');
      await job.failModule('face_recognition', 'no weights');
      await job.apply({ kind: 'finished' });
    });
    await settled();
    const job = await db().manager.findOneByOrFail(JobEntity, { id: jobId });
    expect(job).toMatchObject({ state: 'failed', errors: ['face_recognition: no weights'] });
    const events = bus.of('events.raised', jobId).map(({ envelope }) => (envelope.payload as { event: string }).event);
    expect(events).toEqual([
      'job.on_started',
      'job.face_recognition.on_started',
      'job.face_recognition.on_failed',
      'job.on_failed',
    ]);
  });

  it('says what is wrong with the first hundred sources and that there are more', async () => {
    const jobId = await submit();
    for (const from of [0, 60, 120]) {
      await locked(jobId, (job) => job.addErrors(Array.from({ length: 60 }, (_, index) => `source ${from + index}`)));
    }
    const { errors } = await db().manager.findOneByOrFail(JobEntity, { id: jobId });
    expect(errors).toHaveLength(100);
    expect(errors.at(-1)).toBe('Further errors are left out.');
  });

  it('gives nearby claims one identity and distant ones another, numbered from one', async () => {
    const jobId = await submit();
    const claim = (embedding: number[]) => ({ collection: 'unknowns', embedding, maxDistance: 1 });
    const numbers = await outbox.transaction(async (manager) => [
      await assignIdentity(manager, jobId, claim([1, 0])),
      await assignIdentity(manager, jobId, claim([0, 1])),
      await assignIdentity(manager, jobId, claim([0.98, 0.2])),
      await assignIdentity(manager, jobId, { ...claim([0, 1]), collection: 'other' }),
    ]);
    expect(numbers).toEqual([1, 2, 1, 1]);
  });
});
