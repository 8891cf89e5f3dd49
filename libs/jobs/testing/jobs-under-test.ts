import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, OutgoingMessage } from '@adit/bus';
import { JobRequest } from '@adit/contracts';
import { openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import { FilesystemObjectStore } from '@adit/objects';
import { filmFacts, specDatabase, type SpecDatabase } from '@adit/testing';
import type { DataSource } from 'typeorm';
import { JobCommands } from '../job-commands.js';
import { LockedJob } from '../locked-job.js';
import type { NewJob, ResolvedAnalysis } from '../new-job.js';
import { OutboxRelay } from '../outbox.js';
import { Reconciler } from '../reconciler.js';
import { Scheduler } from '../scheduler.js';
import { JobSettings } from '../settings.js';
import { planFilm } from '../source-plan.js';
import { claimTry, triedSource } from '../tries.js';

export const faces: ResolvedAnalysis = {
  analysis: 'faces',
  family: 'face',
  digest: 'f'.repeat(64),
  args: {},
  frames: [{ rate: 2, shorterSide: 600 }],
  models: [],
};

/** The chunks of a film of 1,000 frames. */
export const grid = [0, 1, 2, 3].map((index) => ({
  frameStart: index * 250,
  frameEnd: (index + 1) * 250,
  ptsStart: index * 250,
  ptsEnd: (index + 1) * 250,
  seekPts: index * 250,
}));

/** Accepts everything and keeps it, so that a spec sees what left through the outbox. */
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

/** Jobs on a database of their own, without any service that would work on them. */
export class JobsUnderTest {
  readonly bus = new RecordingBus();
  readonly outbox: OutboxRelay;
  readonly commands: JobCommands;
  readonly scheduler: Scheduler;
  readonly reconciler: Reconciler;
  /** Whose jobs are submitted; `newWorkspace` begins another. */
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
    objects: FilesystemObjectStore,
  ) {
    const settings = JobSettings.parse({ maxChunksInFlight: 3, chunksPerJob: 2, leaseSeconds: 60 });
    this.outbox = new OutboxRelay(this.db, this.bus);
    this.commands = new JobCommands(this.outbox, objects);
    this.scheduler = new Scheduler(this.outbox, settings, this.db);
    this.reconciler = new Reconciler(this.outbox, this.scheduler, settings);
  }

  get db(): DataSource {
    return this.database.dataSource;
  }

  /** Ends what former specs left and begins a workspace without jobs. */
  async reset(): Promise<void> {
    await this.db.query('UPDATE jobs SET time_deleted = now() WHERE time_deleted IS NULL');
    await this.newWorkspace();
  }

  async newWorkspace(): Promise<void> {
    this.workspaceId = randomUUID();
    await this.db.manager.insert(WorkspaceEntity, { id: this.workspaceId, name: 'test', signingSecret: 's' });
  }

  /** An order that asks for faces. */
  order(sources = ['storage://film'], batch: string | null = null): NewJob {
    return {
      workspaceId: this.workspaceId,
      request: JobRequest.parse({ sources, modules: { face_recognition: {} }, batch }),
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
    };
  }

  /** The id of a new job that asks for faces. */
  async submit(sources?: string[]): Promise<string> {
    return (await this.commands.submit(this.order(sources))).job.id;
  }

  /** When the scheduler has given out what it can and every message has left. */
  async settled(): Promise<void> {
    this.scheduler.nudge();
    await this.scheduler.idle();
    await this.outbox.idle();
  }

  /** Works on a job under its lock. */
  locked<T>(jobId: string, work: (job: LockedJob) => Promise<T>): Promise<T> {
    return this.outbox.transaction(async (manager) => work((await LockedJob.take(manager, jobId))!));
  }

  /** What a decoder does first: the job's source is a film of four chunks. */
  async openFilm(jobId: string, digest: string): Promise<void> {
    await claimTry(this.db, triedSource(jobId, 0), 60);
    await this.outbox.transaction(async (manager) => {
      const job = (await LockedJob.take(manager, jobId))!;
      await job.apply({ kind: 'opened' });
      const wanted = [{ moduleId: 'face_recognition', intervals: grid }];
      await planFilm(manager, job, 0, { digest, facts: filmFacts() }, wanted);
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
