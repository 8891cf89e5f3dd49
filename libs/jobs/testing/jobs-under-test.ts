import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, OutgoingMessage } from '@adit/bus';
import { JobRequest, LIFETIME_SECONDS, type MediaFacts } from '@adit/contracts';
import { isShared, JobEntity, MediaEntity, openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import { FilesystemObjectStore } from '@adit/objects';
import { filmFacts, isWaitedFor, specDatabase, type SpecDatabase } from '@adit/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { JobCommands } from '../commands/job-commands.js';
import { LockedJob } from '../state/locked-job.js';
import type { NewJob, ResolvedAnalysis } from '../commands/new-job.js';
import { OutboxRelay } from '@adit/outbox';
import { Reconciler } from '../scheduling/reconciler.js';
import { Scheduler } from '../scheduling/scheduler.js';
import { JobSettings } from '../scheduling/settings.js';
import { planChunks, writePlan } from '../chunks/chunk-plan.js';
import type { Slot } from '../chunks/chunk-rows.js';
import { claimAttempt, leasedSource } from '@adit/leases';

export const faces: ResolvedAnalysis = {
  analysis: 'faces',
  family: 'face',
  digest: 'f'.repeat(64),
  args: {},
  frames: [{ rate: 2, shorterSide: 600 }],
  models: [],
};

export const things: ResolvedAnalysis = { ...faces, analysis: 'objects', family: 'object', digest: '0'.repeat(64) };

/** Expiry of what is cached now, as an installation without settings keeps it. */
export const cacheExpiry = (): Date => new Date(Date.now() + LIFETIME_SECONDS.observation * 1000);

const imageFacts: MediaFacts = { kind: 'image', format: 'jpeg', width: 8, height: 8 };

/** Chunks of a film of 1,000 frames. */
export const grid = [0, 1, 2, 3].map((index) => ({
  frameStart: index * 250,
  frameEnd: (index + 1) * 250,
  ptsStart: index * 250,
  ptsEnd: (index + 1) * 250,
  seekPts: index * 250,
}));

/** Bus that keeps every message, so that a spec sees what left through the outbox. */
class RecordingBus implements Bus {
  readonly system = 'in-process';
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

/** Jobs on a database of their own, without services that process them. */
export class JobsUnderTest {
  readonly bus = new RecordingBus();
  readonly outbox: OutboxRelay;
  readonly commands: JobCommands;
  readonly scheduler: Scheduler;
  readonly reconciler: Reconciler;
  /** Commands of a process that writes through `outbox`. */
  readonly newScheduler: (outbox: OutboxRelay, settings?: JobSettings) => Scheduler;
  /** Workspace of submitted jobs; `newWorkspace` begins another. */
  workspaceId = '';

  static async start(): Promise<JobsUnderTest> {
    const folder = await mkdtemp(join(tmpdir(), 'adit-jobs-'));
    const own = await specDatabase();
    const database = await openDatabase(own.settings);
    return new JobsUnderTest(folder, own, database, await FilesystemObjectStore.open(join(folder, 'objects')));
  }

  private constructor(
    private readonly folder: string,
    private readonly own: SpecDatabase,
    private readonly database: Database,
    readonly objects: FilesystemObjectStore,
  ) {
    const settings = JobSettings.parse({ maxChunksInFlight: 3, chunksPerJob: 2, leaseSeconds: 60 });
    this.outbox = new OutboxRelay(this.db, this.bus);
    this.commands = new JobCommands(this.outbox, objects);
    this.newScheduler = (outbox, own = settings) => new Scheduler(outbox, own, this.db);
    this.scheduler = this.newScheduler(this.outbox);
    this.reconciler = new Reconciler(this.outbox, this.scheduler, settings, this.db);
  }

  get db(): DataSource {
    return this.database.dataSource;
  }

  /** Ends jobs of former specs and begins a workspace without jobs. */
  async reset(): Promise<void> {
    await this.db.query('UPDATE jobs SET time_deleted = now() WHERE time_deleted IS NULL');
    await this.newWorkspace();
  }

  async newWorkspace(): Promise<void> {
    this.workspaceId = randomUUID();
    await this.db.manager.insert(WorkspaceEntity, { id: this.workspaceId, name: 'test', signingSecret: 's' });
  }

  /** Order of a job for faces. */
  order(
    sources = ['storage://film'],
    batch: string | null = null,
    modules: Record<string, ResolvedAnalysis> = { face_recognition: faces },
  ): NewJob {
    return {
      workspaceId: this.workspaceId,
      request: JobRequest.parse({ sources, modules: { face_recognition: {} }, batch }),
      modules: Object.entries(modules).map(([moduleId, analysis]) => ({
        moduleId,
        postedAs: moduleId,
        args: {},
        range: null,
        models: [],
        media: ['image', 'video'],
        analyses: [analysis],
      })),
      mediaType: 'video',
      traceparent: null,
    };
  }

  /** Submits a job for faces and returns its id. */
  async submit(sources?: string[]): Promise<string> {
    return (await this.commands.submit(this.order(sources))).job.id;
  }

  /** Resolves when the scheduler has dispatched its work and every message has left. */
  async settled(): Promise<void> {
    this.scheduler.nudge();
    await this.scheduler.idle();
    await this.outbox.idle();
  }

  /** Runs with a locked job. */
  locked<T>(jobId: string, work: (job: LockedJob) => Promise<T>): Promise<T> {
    return this.outbox.transaction(async (manager) => work((await LockedJob.take(manager, jobId))!));
  }

  /**
   * Begins `theirs` in the midst of a transaction of `ours`, which stays open until another session waits for it, or
   * `theirs` has ended. An embedded database has one session, so everybody waits.
   */
  async beside(
    ours: (stayOpen: (manager: EntityManager) => Promise<void>) => Promise<unknown>,
    theirs: () => Promise<unknown>,
  ): Promise<void> {
    let [isOver, begin] = [false, () => {}];
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const written = ours(async (manager) => {
      begin();
      if (isShared(this.db)) await isWaitedFor(manager, () => isOver);
    });
    await Promise.race([begun, written]);
    await Promise.all([written, theirs().finally(() => (isOver = true))]);
  }

  /** Stores the facts of a probed film; `generation` names the folder of its objects. */
  async knowFilm(digest: string, generation: string | null): Promise<void> {
    const { workspaceId } = this;
    const media = { workspaceId, digest, facts: filmFacts(), grid, indexKey: null, timeExpires: cacheExpiry() };
    await this.db.manager.upsert(MediaEntity, { ...media, generation }, ['workspaceId', 'digest']);
  }

  /** Plans a film as a decoder does: four chunks, the first of which may keep the source's slot. */
  async openFilm(jobId: string, digest: string, index = 0, slot: Slot = null): Promise<void> {
    await claimAttempt(this.db, leasedSource(jobId, index), 60);
    await writePlan(this.outbox, jobId, async (manager, job) => {
      await job.apply({ kind: 'opened' });
      const spans = grid.map((interval) => ({
        sourceStart: index,
        sourceEnd: index + 1,
        extent: { kind: 'video' as const, interval },
      }));
      const wanted = job.activeModules.map(({ moduleId }) => ({ moduleId, spans }));
      return planChunks(manager, job, index, { digest, facts: filmFacts() }, wanted, slot);
    });
  }

  /** Plans a job of images likewise. */
  async openImages(jobId: string, sources: number, perChunk = sources): Promise<void> {
    const opened = { digest: '1'.repeat(64), facts: imageFacts };
    await writePlan(this.outbox, jobId, async (manager, job) => {
      await job.apply({ kind: 'opened' });
      await manager.update(JobEntity, { id: jobId }, { mediaType: 'image' });
      const spans = Array.from({ length: Math.ceil(sources / perChunk) }, (_, at) => ({
        sourceStart: at * perChunk,
        sourceEnd: Math.min(sources, (at + 1) * perChunk),
        extent: { kind: 'image' as const },
      }));
      const wanted = job.activeModules.map(({ moduleId }) => ({ moduleId, spans }));
      return planChunks(manager, job, 0, opened, wanted);
    });
  }

  async close(): Promise<void> {
    await this.scheduler.onApplicationShutdown();
    await this.outbox.onApplicationShutdown();
    await this.database.close();
    await this.own.drop();
    await rm(this.folder, { recursive: true });
  }
}
