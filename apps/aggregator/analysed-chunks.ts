import type { Payload } from '@adit/contracts';
import { ChunkAnalysisEntity } from '@adit/database';
import { failSource, jobPrefix, LockedJob, OutboxRelay, returned } from '@adit/jobs';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { counter } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';

const analysed = counter('adit_chunks_analysed_total', 'Analyses of chunks that ended', ['outcome']);

/** Stores how the analyses of chunks ended, once each, and gives the credit back when a chunk's last one has. */
@Injectable()
export class AnalysedChunks {
  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /**
   * Idempotent: a message that comes again, or for a job that has ended, changes nothing.
   * @returns whether nobody reads the chunk's packs any more.
   */
  async record(jobId: string, result: Payload<'chunks.analysed'>): Promise<boolean> {
    const { chunkId, analysisDigest: digest, units, error } = result;
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (!locked?.isActive) return true;
      const state = error === null ? 'done' : 'failed';
      const recorded = await manager.update(
        ChunkAnalysisEntity,
        { chunkId, digest, state: In(['waiting', 'requested']) },
        { state, units, error, leaseUntil: null },
      );
      if (recorded.affected === 0) return false;
      analysed.inc({ outcome: state });
      for (const unit of units ?? []) {
        if (unit.error !== null) await failSource(manager, locked, unit.sourceIndex, unit.error);
      }
      if (error !== null) await failModulesThatNeed(locked, digest, error);
      return this.finishChunk(manager, locked, chunkId);
    });
  }

  async deletePacks(jobId: string, chunkId: string): Promise<void> {
    await this.objects.deletePrefix(`${jobPrefix(jobId)}packs/${chunkId}/`);
  }

  /** True when nobody reads the chunk's packs any more. */
  private async finishChunk(manager: EntityManager, locked: LockedJob, chunkId: string): Promise<boolean> {
    const wanted = locked.activeModules.flatMap((module) => Object.values(module.analyses));
    const finished = returned(
      await manager.query(
        `UPDATE chunks SET state = 'done', packs = NULL, lease_until = NULL WHERE id = $1 AND NOT EXISTS (
           SELECT 1 FROM chunk_analyses
            WHERE chunk_id = $1 AND digest = ANY($2::text[]) AND state IN ('waiting', 'requested'))
         RETURNING id`,
        [chunkId, wanted],
      ),
    );
    return finished.length > 0;
  }
}

async function failModulesThatNeed(locked: LockedJob, digest: string, reason: string): Promise<void> {
  for (const module of locked.activeModules) {
    if (Object.values(module.analyses).includes(digest)) await locked.failModule(module.moduleId, reason);
  }
}
