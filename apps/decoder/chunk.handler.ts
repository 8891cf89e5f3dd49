import { Handles, type BusContext } from '@adit/bus';
import { analysisTopic, type Payload } from '@adit/contracts';
import {
  ChunkAnalysisEntity,
  ChunkEntity,
  JobAnalysisEntity,
  JobEntity,
  JobModuleEntity,
  type PackKeys,
} from '@adit/database';
import {
  claimTry,
  dispatchSeconds,
  enqueue,
  failAnalyses,
  isTerminal,
  JOB_SETTINGS,
  jobPrefix,
  LockedJob,
  OutboxRelay,
  runTry,
  triedChunk,
  type JobSettings,
} from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { ChunkDecoder, type ChunkTask } from './chunk-decoder.js';

const log = createLogger('decoder');

/** chunks.requested: decode one chunk to the frame packs that its missing analyses need, and ask for those. */
@Controller()
export class ChunkHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(ChunkDecoder) private readonly decoder: ChunkDecoder,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
  ) {}

  @Handles('chunks.requested', { group: 'decoder', concurrency: 2 })
  async decode({ chunkId }: Payload<'chunks.requested'>, context: BusContext): Promise<void> {
    const work = triedChunk(chunkId);
    const attempt = await claimTry(this.db, work, this.settings.leaseSeconds);
    if (attempt === null) return;
    const task = await this.load(chunkId);
    if (task === null) return;
    await runTry(
      { db: this.db, settings: this.settings, work, attempt, signal: context.signal },
      async (signal) => {
        if (task.job.state === 'waiting') await this.begin(task.job.id);
        await this.requestAnalyses(task, await this.decoder.decode(task, signal));
      },
      async (problem) => {
        log.warn({ chunkId, err: problem }, 'a chunk cannot be decoded');
        const digests = task.analyses.map((analysis) => analysis.digest);
        await this.outbox.transaction((manager) =>
          failAnalyses(manager, task.message, chunkId, digests, problem.message),
        );
      },
    );
  }

  /** A job that is retried when its sources are planned has none to open: its first chunk starts it. */
  private begin(jobId: string): Promise<void> {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked?.isActive) await locked.apply({ kind: 'opened' });
    });
  }

  /** The chunk with the analyses that somebody still waits for. */
  private async load(chunkId: string): Promise<ChunkTask | null> {
    const { manager } = this.db;
    const chunk = await manager.findOneBy(ChunkEntity, { id: chunkId });
    if (chunk === null) return null;
    const { jobId } = chunk;
    const job = await manager.findOneBy(JobEntity, { id: jobId });
    if (job === null) return null;
    const waiting = await manager.findBy(ChunkAnalysisEntity, { chunkId, state: 'waiting' });
    const modules = await manager.findBy(JobModuleEntity, { jobId });
    const wanted = new Set(
      modules.filter((module) => !isTerminal(module.state)).flatMap((module) => Object.values(module.analyses)),
    );
    const digests = waiting.map((row) => row.digest).filter((digest) => wanted.has(digest));
    const analyses = await manager.findBy(JobAnalysisEntity, { jobId, digest: In(digests) });
    return { job, chunk, modules, analyses, message: { jobId, traceparent: job.traceparent } };
  }

  private async requestAnalyses(task: ChunkTask, packs: Record<string, PackKeys>): Promise<void> {
    const { chunk, analyses } = task;
    const jobId = chunk.jobId;
    const kept = await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked === null || !locked.isActive) return false;
      const leaseUntil = new Date(Date.now() + dispatchSeconds(this.settings) * 1000);
      const done = analyses.length === 0;
      await manager.update(
        ChunkEntity,
        { id: chunk.id, state: 'requested' },
        { state: done ? 'done' : 'decoded', packs, leaseUntil: null },
      );
      const digests = analyses.map((analysis) => analysis.digest);
      const where = { chunkId: chunk.id, digest: In(digests), state: 'waiting' as const };
      await manager.update(ChunkAnalysisEntity, where, { state: 'requested', leaseUntil });
      await enqueue(
        manager,
        analyses.map(({ analysis, digest }) => ({
          topic: analysisTopic(analysis),
          key: chunk.id,
          ...task.message,
          payload: { chunkId: chunk.id, analysisDigest: digest },
        })),
      );
      return true;
    });
    if (!kept) await this.objects.deletePrefix(`${jobPrefix(jobId)}packs/${chunk.id}/`);
  }
}
