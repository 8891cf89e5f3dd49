import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus, OutgoingMessage } from '@adit/bus';
import {
  JobRequest,
  StandardArguments,
  type Extent,
  type MediaFacts,
  type VideoFacts,
  type MediaType,
  type Payload,
} from '@adit/contracts';
import { ChunkEntity, JobEntity, JobSourceEntity, openDatabase, WorkspaceEntity, type Database } from '@adit/database';
import {
  appendLiveChunk,
  endLiveSource,
  JobCommands,
  JobSettings,
  LockedJob,
  openLiveSource,
  planChunks,
  Reconciler,
  Scheduler,
  writePlan,
  type ResolvedAnalysis,
} from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { defineModule, ModuleRegistry, type FoldStep, type ModuleDefinition } from '@adit/module-kit';
import { FilesystemObjectStore } from '@adit/objects';
import { filmFacts, rowsOf, specDatabase, type PlanNode, type SpecDatabase } from '@adit/testing';
import type { DataSource } from 'typeorm';
import { AnalysedChunks } from '../folding/analysed-chunks.js';
import { NeighbourSearches } from '@adit/indexes';
import { FaceIndexing } from '../folding/indexed-faces.js';
import { AggregatorSettings } from '../settings.js';
import { FoldAdvance } from '../folding/fold-advance.js';
import { FilmFrames } from '../folding/film-frames.js';
import { LiveFrames } from '../folding/live-frames.js';
import { Folding } from '../folding/folding.js';
import { JobAdvance } from '../folding/job-advance.js';
import { JobArtifacts } from '../endings/job-artifacts.js';
import { JobEndings } from '../endings/complete-jobs.js';
import { JobResults } from '../endings/job-results.js';
import { JobSummary } from '../endings/job-summary.js';
import { EnrolledFaces } from '../endings/enrolled-faces.js';
import { ModuleFiles } from '../endings/module-files.js';
import { KeptPictures } from '../folding/kept-pictures.js';
import { OpenFolds } from '../folding/open-folds.js';
import { ProgressPace } from '../folding/progress-pace.js';
import { ReadyChunks } from '../folding/ready-chunks.js';
import { WaitingFolds } from '../folding/waiting-folds.js';

const PICTURE: MediaFacts = { kind: 'image', format: 'jpeg', width: 640, height: 480 };
const DIGEST = 'd'.repeat(64);
/** Digest of the analysis that modules which take audio have in place of that of pictures. */
export const HEARD = 'e'.repeat(64);

/** Module that emits one segment for each unit; the spec sets its observations of `faces`. */
export function countingModule(id: string): ModuleDefinition {
  return defineModule({
    id,
    version: 1,
    args: StandardArguments,
    media: ['image', 'video'],
    needs: () => [{ analysis: 'faces', args: {} }],
    open: () =>
      Promise.resolve({
        start: () => 0,
        fold: (state: number, { unit: { sourceIndex } }): FoldStep<number> => ({
          state: state + 1,
          segments: [
            {
              ...{ sourceIndex, frameStart: state, frameEnd: state, timeStart: state, timeEnd: state },
              ...{ type: 'unit', label: `unit ${state}`, confidence: 1, meta: { label: `unit ${state}` } },
              ...{ detections: [], thumbnail: null, keyFrame: null },
            },
          ],
        }),
        close: () => ({ segments: [], summaries: [] }),
      }),
  });
}

/** Jobs whose chunks are planned, with the aggregator's part of the work; the spec sets the results of analyses. */
export class FoldingJobs {
  /** Messages that left through the outbox. */
  readonly messages: OutgoingMessage[] = [];
  /** Statements that were sent to the database. */
  statements: string[] = [];
  /** The same with their parameters. */
  asked: { sql: string; values: unknown[] }[] = [];
  workspaceId = randomUUID();

  static async start(modules: ModuleDefinition[]): Promise<FoldingJobs> {
    const folder = await mkdtemp(join(tmpdir(), 'adit-folding-'));
    const own = await specDatabase();
    const database = await openDatabase(own.settings);
    const objects = await FilesystemObjectStore.open(folder);
    const jobs = new FoldingJobs(folder, own, database, objects, new ModuleRegistry(modules));
    await database.dataSource.manager.insert(WorkspaceEntity, {
      ...{ id: jobs.workspaceId, name: 'test', signingSecret: 's' },
    });
    return jobs;
  }

  readonly outbox: OutboxRelay;
  readonly commands: JobCommands;
  readonly chunks: AnalysedChunks;
  readonly jobs: JobAdvance;
  readonly endings: JobEndings;
  readonly enrolled: EnrolledFaces;
  readonly settings = AggregatorSettings.parse({});
  readonly reconciler: Reconciler;
  /** Progress service of another process. */
  readonly newPace = () => new ProgressPace(this.db, this.outbox);
  private readonly scheduler: Scheduler;
  readonly pace: ProgressPace;

  private constructor(
    private readonly folder: string,
    private readonly own: SpecDatabase,
    private readonly database: Database,
    readonly objects: FilesystemObjectStore,
    private readonly modules: ModuleRegistry,
  ) {
    const { db, messages } = this;
    const bus = { publish: (sent: OutgoingMessage[]) => Promise.resolve(void messages.push(...sent)) };
    this.outbox = new OutboxRelay(db, bus as unknown as Bus);
    this.commands = new JobCommands(this.outbox, objects);
    this.chunks = new AnalysedChunks(db, this.outbox, objects);
    const waiting = new WaitingFolds(db);
    const ready = new ReadyChunks(db, objects);
    // The modules of these specs read neither models nor dictionaries.
    const open = new OpenFolds(modules, null as never, null as never);
    const folding = new Folding(modules, open, ready, waiting, new FilmFrames(db, objects), new LiveFrames(db));
    const pictures = new KeptPictures(objects);
    this.pace = this.newPace();
    const results = new JobResults(db, objects, modules);
    const artifacts = new JobArtifacts(db, objects, results, new JobSummary(db, modules), new ModuleFiles(db, modules));
    this.scheduler = new Scheduler(this.outbox, JobSettings.parse({}), db);
    this.reconciler = new Reconciler(this.outbox, this.scheduler, JobSettings.parse({}), db);
    this.enrolled = new EnrolledFaces(db, objects, modules, this.settings);
    this.endings = new JobEndings(db, this.outbox, artifacts, this.scheduler, this.enrolled);
    const faces = new FaceIndexing(objects, new NeighbourSearches(), this.settings);
    const folds = new FoldAdvance(this.outbox, waiting, ready, folding, pictures, this.pace, this.endings, faces);
    this.jobs = new JobAdvance(db, this.outbox, folds, this.endings);
    this.countStatements();
  }

  get db(): DataSource {
    return this.database.dataSource;
  }

  /** Submits a job for all modules of the registry, which need one analysis, of frames at these rates. */
  async submit(
    sources: string[],
    rates: number[] = [],
    { mediaType = 'video', events = [] }: { mediaType?: MediaType; events?: string[] } = {},
  ): Promise<string> {
    // The end of an earlier job triggers the scheduler, which would request the sources of this one; specs plan these
    // themselves.
    await this.scheduler.idle();
    const analysis: ResolvedAnalysis = {
      ...{ analysis: 'faces', family: 'face', digest: DIGEST, args: {}, models: [] },
      frames: rates.map((rate) => ({ rate, shorterSide: 600 })),
    };
    const hearing: ResolvedAnalysis = {
      ...{ analysis: 'speech', family: 'speech', digest: HEARD, args: {}, models: [], frames: [] },
      audio: [{ sampleRate: 16_000, channels: 1, overlapSeconds: 30 }],
    };
    const modules = this.modules.modules.map(({ id, media }) => ({
      ...{ moduleId: id, postedAs: id, args: {}, range: null, models: [], media },
      // Films have their pictures alone here.
      analyses: [media.includes('audio') && mediaType === 'videostream' ? hearing : analysis],
    }));
    const webhook = events.length === 0 ? {} : { webhook: { callback: 'https://example.org/hook', events } };
    const request = JobRequest.parse({ sources, modules: { face_recognition: {} }, ...webhook });
    const { workspaceId } = this;
    const live = mediaType === 'videostream' ? { live: { address: null } } : {};
    const order = { workspaceId, request, modules, mediaType, ...live, traceparent: null };
    return (await this.commands.submit(order)).job.id;
  }

  /** Plans as a decoder does: a film of so many chunks of 25 frames, or as many pictures as the job has sources. */
  async plan(
    jobId: string,
    what: { chunks: number; facts?: MediaFacts } | { picturesPerChunk: number },
  ): Promise<void> {
    await writePlan(this.outbox, jobId, async (manager, job) => {
      await job.apply({ kind: 'opened' });
      await manager.update(JobSourceEntity, { jobId, index: 0 }, { state: 'requested' });
      if ('chunks' in what) {
        const spans = Array.from({ length: what.chunks }, (_, at) => {
          const [start, end] = [at * 25, (at + 1) * 25];
          const frames = { frameStart: start, frameEnd: end, ptsStart: start, ptsEnd: end, seekPts: start };
          return { sourceStart: 0, sourceEnd: 1, extent: { kind: 'video' as const, interval: frames } };
        });
        const wanted = this.modules.modules.map(({ id }) => ({ moduleId: id, spans }));
        return planChunks(manager, job, 0, { digest: DIGEST, facts: what.facts ?? filmFacts() }, wanted);
      }
      const count = await manager.countBy(JobSourceEntity, { jobId });
      await manager.update(JobEntity, { id: jobId }, { mediaType: 'image' });
      const each = what.picturesPerChunk;
      const spans = Array.from({ length: Math.ceil(count / each) }, (_, at) => {
        const sourceEnd = Math.min(count, (at + 1) * each);
        return { sourceStart: at * each, sourceEnd, extent: { kind: 'image' as const } };
      });
      const wanted = this.modules.modules.map(({ id }) => ({ moduleId: id, spans }));
      return planChunks(manager, job, 0, { digest: DIGEST, facts: PICTURE }, wanted);
    });
    if ('chunks' in what) return;
    // Sizes that a decoder stores when it decodes them.
    await this.db.query(`UPDATE job_sources SET media_digest = index::text, facts = $2::jsonb WHERE job_id = $1`, [
      jobId,
      JSON.stringify(PICTURE),
    ]);
  }

  /** Submits a job of a live stream and opens the stream as its recorder does. */
  async submitLive(events: string[] = []): Promise<string> {
    const jobId = await this.submit(['rtsp://camera.example/'], [], { mediaType: 'videostream', events });
    await this.openLive(jobId);
    return jobId;
  }

  async openLive(jobId: string, more: Partial<VideoFacts> = {}): Promise<void> {
    const facts = filmFacts({ variableFrameRate: true, totalFrames: 0, duration: 0, ...more });
    await this.locked(jobId, (locked) => openLiveSource(locked.manager, locked, 0, { digest: DIGEST, facts }));
  }

  /** Appends the second of the stream at that position, of 25 frames; returns the id of its chunk, null at its end. */
  async append(jobId: string, position: number): Promise<string | null> {
    const [start, end] = [position * 25, (position + 1) * 25];
    const interval = { frameStart: start, frameEnd: end, ptsStart: start, ptsEnd: end, seekPts: start };
    return this.appendExtent(jobId, position, { kind: 'video', interval });
  }

  /** Appends a second of sound. */
  appendSound(jobId: string, position: number): Promise<string | null> {
    const interval = { startMs: position * 1000, endMs: (position + 1) * 1000 };
    return this.appendExtent(jobId, position, { kind: 'audio', interval });
  }

  private async appendExtent(jobId: string, position: number, extent: Extent): Promise<string | null> {
    const chunk = { sourceIndex: 0, position, extent, packs: {}, leaseSeconds: 60 };
    const appended = await this.outbox.transaction((manager) => appendLiveChunk(manager, jobId, chunk));
    if (appended === null) return null;
    return (await this.db.manager.findOneByOrFail(ChunkEntity, { jobId, position })).id;
  }

  /** Records the outcomes of analyses that left through the outbox since the last call. */
  async deliverAnalysed(jobId: string): Promise<void> {
    await this.outbox.idle();
    const own = this.messages.filter(({ topic, envelope }) => topic === 'chunks.analysed' && envelope.jobId === jobId);
    for (const { envelope } of own) await this.chunks.record(jobId, envelope.payload as Payload<'chunks.analysed'>);
  }

  /** Gives out what the scheduler may. */
  async schedule(): Promise<void> {
    this.scheduler.nudge();
    await this.scheduler.idle();
  }

  async endLive(jobId: string): Promise<void> {
    await this.locked(jobId, (locked) => endLiveSource(locked.manager, locked, 0, { duration: 1 }));
  }

  private locked(jobId: string, change: (locked: LockedJob) => Promise<void>): Promise<void> {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked === null) throw new Error(`There is no job ${jobId}.`);
      await change(locked);
      await locked.flush();
    });
  }

  /** Advances a job as far as possible, and to its end. */
  async advance(jobId: string): Promise<void> {
    await this.jobs.advance(jobId);
    await this.endings.idle();
  }

  /** Returns chunk ids in order. */
  async chunkIds(jobId: string): Promise<string[]> {
    const rows = await this.db.manager.find(ChunkEntity, {
      where: { jobId },
      order: { sourceStart: 'ASC', position: 'ASC' },
      select: { id: true },
    });
    return rows.map(({ id }) => id);
  }

  /** Ends the analysis of a chunk with these observations for each of its units. */
  async analysed(jobId: string, chunkId: string, observations: unknown, digest = DIGEST): Promise<void> {
    const { sourceStart, sourceEnd } = await this.db.manager.findOneByOrFail(ChunkEntity, { id: chunkId });
    const key = `observations/${chunkId}`;
    await this.objects.put(key, Buffer.from(JSON.stringify(observations)));
    const units = Array.from({ length: sourceEnd - sourceStart }, (_, at) => ({
      ...{ sourceIndex: sourceStart + at, observations: key, error: null },
    }));
    await this.chunks.record(jobId, { chunkId, analysisDigest: digest, units, error: null });
  }

  /** Fails the decoding of the chunk. */
  async lost(jobId: string, chunkId: string, error: string): Promise<void> {
    await this.db.manager.update(ChunkEntity, { id: chunkId }, { state: 'requested' });
    await this.chunks.record(jobId, { chunkId, analysisDigest: DIGEST, units: null, error });
  }

  /** Returns the states of its modules. */
  async states(jobId: string): Promise<Record<string, string>> {
    const rows: { module_id: string; state: string }[] = await this.db.query(
      'SELECT module_id, state FROM job_modules WHERE job_id = $1',
      [jobId],
    );
    return Object.fromEntries(rows.map(({ module_id, state }) => [module_id, state]));
  }

  /** Returns raised job events of a name, oldest first; messages enqueued so far have left. */
  async events(jobId: string, name: string): Promise<OutgoingMessage[]> {
    await this.outbox.idle();
    return this.messages.filter(
      ({ topic, envelope }) =>
        topic === 'events.raised' &&
        envelope.jobId === jobId &&
        (envelope.payload as unknown as { event: string }).event === name,
    );
  }

  /** Number of rows that the nodes of a statement's plan touch; what it changes is taken back. */
  async rowsTouched(sql: string, values: unknown[]): Promise<number> {
    const runner = this.db.createQueryRunner();
    try {
      await runner.startTransaction();
      const [row] = (await runner.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`, values)) as {
        'QUERY PLAN': { Plan: PlanNode }[];
      }[];
      return rowsOf(row!['QUERY PLAN'][0]!.Plan);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  async close(): Promise<void> {
    await this.pace.onApplicationShutdown();
    await this.endings.onApplicationShutdown();
    await this.scheduler.onApplicationShutdown();
    await this.outbox.onApplicationShutdown();
    await this.database.close();
    await this.own.drop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private countStatements(): void {
    type Client = { query: (...args: unknown[]) => unknown; counted?: true };
    const { master } = this.db.driver as unknown as { master: NodeJS.EventEmitter };
    master.on('acquire', (client: Client) => {
      if (client.counted) return;
      const query = client.query.bind(client);
      client.counted = true;
      client.query = (...args) => {
        const [first, more] = args as [string | { text: string; values?: unknown[] }, unknown];
        const sql = typeof first === 'string' ? first : first.text;
        const values = typeof first === 'string' ? more : first.values;
        this.statements.push(sql);
        this.asked.push({ sql, values: Array.isArray(values) ? values : [] });
        return query(...args);
      };
    });
  }
}
