import type { ChunkUse, Payload } from '@adit/contracts';
import { chunkPacksPrefix, countUse, endAnalysis, failSource, finishChunk, LockedJob, setAnalysed } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { chunksAnalysed, usedSeconds } from '../metrics.js';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { describeLoss } from '../endings/loss-errors.js';

/** Stores the outcomes of chunk analyses, once each, and releases the slot with a chunk's last one. */
@Injectable()
export class AnalysedChunks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /**
   * Records a chunk that was given up: it costs its own frames, the job names it, and its modules go on without it.
   * Idempotent: a duplicate message, or one for a job that has ended, changes nothing.
   * @returns whether nobody reads the chunk's packs any more.
   */
  async record(jobId: string, result: Payload<'chunks.analysed'>): Promise<boolean> {
    const isGood = result.error === null && (result.units ?? []).every(({ error }) => error === null);
    return isGood ? this.recordGood(jobId, result) : this.recordProblems(jobId, result);
  }

  /**
   * Records an outcome that changes nothing but the chunk without the job's row and a transaction. After a crash in
   * between, the message is redelivered and completes it.
   */
  private async recordGood(jobId: string, result: Payload<'chunks.analysed'>): Promise<boolean> {
    const { chunkId, analysisDigest: digest, units, use } = result;
    const { live, recorded } = await setAnalysed(this.db, { jobId, chunkId, digest }, units, use);
    if (recorded) {
      chunksAnalysed.inc({ outcome: 'done' });
      countSeconds(use);
    }
    return !live || finishChunk(this.db, chunkId);
  }

  private async recordProblems(jobId: string, result: Payload<'chunks.analysed'>): Promise<boolean> {
    const { chunkId, analysisDigest: digest, units, error, use } = result;
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (!locked?.isActive) return true;
      const state = error === null ? 'done' : 'failed';
      if (await endAnalysis(manager, { chunkId, digest }, { state, units, error })) {
        chunksAnalysed.inc({ outcome: state });
        await countUse(manager, { jobId, chunkId, digest }, use);
        countSeconds(use);
        for (const unit of units ?? []) {
          if (unit.error !== null) await failSource(manager, locked, unit.sourceIndex, unit.error);
        }
        if (error !== null && result.everyChunk === true) await failModules(locked, digest, error);
        else if (error !== null) {
          const loss = await describeLoss(manager, { jobId, chunkId, digest }, error);
          await locked.addErrors([loss.error], loss.saysLess);
        }
      }
      return finishChunk(manager, chunkId);
    });
  }

  async deletePacks(jobId: string, chunkId: string): Promise<void> {
    await this.objects.deletePrefix(chunkPacksPrefix(jobId, chunkId));
  }
}

/** Ends the modules that need an analysis that fails for every chunk. */
async function failModules(locked: LockedJob, digest: string, reason: string): Promise<void> {
  for (const { moduleId, analyses } of locked.activeModules) {
    if (Object.values(analyses).includes(digest)) await locked.failModule(moduleId, reason);
  }
}

function countSeconds(use: ChunkUse | undefined): void {
  for (const [kind, seconds] of Object.entries(use ?? {})) usedSeconds.inc({ kind }, seconds);
}
