import { Handles, type BusContext } from '@adit/bus';
import type { Payload } from '@adit/contracts';
import { BatchCommands, Scheduler } from '@adit/jobs';
import { Controller, Inject } from '@nestjs/common';
import { AnalysedChunks } from './folding/analysed-chunks.js';
import { JobAdvance } from './folding/job-advance.js';

/**
 * Handles everything that can advance a job, or end it: it is taken as far as possible, and free slots are assigned.
 */
@Controller()
export class TopicsHandler {
  constructor(
    @Inject(AnalysedChunks) private readonly chunks: AnalysedChunks,
    @Inject(JobAdvance) private readonly jobs: JobAdvance,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(BatchCommands) private readonly batches: BatchCommands,
  ) {}

  @Handles('jobs.submitted', { group: 'aggregator', concurrency: 4 })
  async submitted(_payload: Payload<'jobs.submitted'>, context: BusContext): Promise<void> {
    this.scheduler.nudge();
    // A retried job may have nothing left to do but to end.
    await this.jobs.advance(context.envelope.jobId);
  }

  @Handles('sources.planned', { group: 'aggregator', concurrency: 4 })
  async planned(_payload: Payload<'sources.planned'>, context: BusContext): Promise<void> {
    this.scheduler.nudge();
    await this.jobs.advance(context.envelope.jobId);
  }

  @Handles('chunks.analysed', { group: 'aggregator', concurrency: 4 })
  async analysed(result: Payload<'chunks.analysed'>, context: BusContext): Promise<void> {
    const { jobId } = context.envelope;
    const finished = await this.chunks.record(jobId, result);
    await Promise.all([finished ? this.free(jobId, result.chunkId) : undefined, this.jobs.advance(jobId)]);
  }

  @Handles('batches.deleted', { group: 'aggregator' })
  async batchDeleted(_payload: Payload<'batches.deleted'>, context: BusContext): Promise<void> {
    await this.batches.abort(context.envelope.jobId);
    this.scheduler.nudge();
  }

  /** Packs are removed before the next chunk is requested; the job need not wait for it. */
  private async free(jobId: string, chunkId: string): Promise<void> {
    await this.chunks.deletePacks(jobId, chunkId);
    this.scheduler.nudge();
  }
}
