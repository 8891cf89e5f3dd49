import { elementAt, type Payload } from '@adit/contracts';
import { ChunkAnalysisEntity, inStatement, isActive, isLive, returned } from '@adit/database';
import { chunkPacksPrefix, failSource, LockedJob } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { counter } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { describeLoss } from '../endings/loss-errors.js';

const analysed = counter('adit_chunks_analysed_total', 'Analyses of chunks that ended', ['outcome']);

/** Stores how the analyses of chunks ended, once each, and gives the credit back when a chunk's last one has. */
@Injectable()
export class AnalysedChunks {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {}

  /**
   * A chunk that was given up costs its own frames: the job says so, and its modules go on without it.
   * Idempotent: a message that comes again, or for a job that has ended, changes nothing.
   * @returns whether nobody reads the chunk's packs any more.
   */
  async record(jobId: string, result: Payload<'chunks.analysed'>): Promise<boolean> {
    const isGood = result.error === null && (result.units ?? []).every(({ error }) => error === null);
    return isGood ? this.recordGood(jobId, result) : this.recordProblems(jobId, result);
  }

  /**
   * What changes nothing but the chunk needs neither the job's row nor a transaction: a death in between is made good by the
   * message, which comes again.
   */
  private async recordGood(jobId: string, result: Payload<'chunks.analysed'>): Promise<boolean> {
    const { chunkId, analysisDigest: digest, units } = result;
    const parameters = [jobId, chunkId, digest, JSON.stringify(units)];
    const rows = await inStatement<{ live: boolean; recorded: boolean }>(this.db, RECORD, parameters);
    const { live, recorded } = elementAt(rows, 0);
    if (recorded) analysed.inc({ outcome: 'done' });
    return !live || finishChunk(this.db, chunkId);
  }

  private async recordProblems(jobId: string, result: Payload<'chunks.analysed'>): Promise<boolean> {
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
      if (recorded.affected !== 0) {
        analysed.inc({ outcome: state });
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

/** Ends the modules that need an analysis of which no chunk can be had. */
async function failModules(locked: LockedJob, digest: string, reason: string): Promise<void> {
  for (const { moduleId, analyses } of locked.activeModules) {
    if (Object.values(analyses).includes(digest)) await locked.failModule(moduleId, reason);
  }
}

/** True when nobody reads the chunk's packs any more. */
async function finishChunk(db: Pick<DataSource, 'query'>, chunkId: string): Promise<boolean> {
  return returned(await db.query(FINISH, [chunkId])).length > 0;
}

const RECORD = `
  WITH live AS (
    SELECT 1 FROM jobs j WHERE j.id = $1 AND ${isLive('j')}),
  recorded AS (
    UPDATE chunk_analyses SET state = 'done', units = $4::jsonb, error = NULL, lease_until = NULL, running_until = NULL
     WHERE chunk_id = $2 AND digest = $3 AND state IN ('waiting', 'requested') AND EXISTS (SELECT FROM live)
    RETURNING 1)
  SELECT EXISTS (SELECT FROM live) AS live, EXISTS (SELECT FROM recorded) AS recorded`;

/**
 * By a snapshot that shows what was recorded before: of two analyses that end at once the later one finds both. An analysis
 * that came to wait while the chunk was worked on for others has it decoded again.
 */
const FINISH = `
  WITH unfinished AS (
    SELECT coalesce(bool_or(a.state = 'requested'), false) AS running, coalesce(bool_or(a.state = 'waiting'), false) AS waiting
      FROM chunk_analyses a JOIN job_modules m ON m.job_id = a.job_id
     WHERE a.chunk_id = $1 AND a.state IN ('waiting', 'requested') AND ${isActive('m')}
       AND EXISTS (SELECT 1 FROM jsonb_each_text(m.analyses) n WHERE n.value = a.digest))
  UPDATE chunks SET state = CASE WHEN unfinished.waiting THEN 'planned' ELSE 'done' END, packs = NULL, lease_until = NULL
    FROM unfinished
   WHERE id = $1 AND NOT unfinished.running AND (NOT unfinished.waiting OR chunks.state = 'decoded')
  RETURNING id`;
