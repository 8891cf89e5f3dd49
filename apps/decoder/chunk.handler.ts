import type { BusContext } from '@adit/bus';
import type { Payload } from '@adit/contracts';
import { isLive, type PackKeys } from '@adit/database';
import {
  analysisRequest,
  chunkPacksPrefix,
  decodedChunk,
  failAnalyses,
  JOB_SETTINGS,
  LockedJob,
  type JobSettings,
} from '@adit/jobs';
import { claimAttempt, dispatchSeconds, runAttempt, leasedChunk } from '@adit/leases';
import { OutboxRelay } from '@adit/outbox';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChunkDecoder } from './chunk-decoder.js';
import { readTask, type ChunkTask } from './chunk-task.js';

const log = createLogger('decoder');

/**
 * Subscriber of chunks.requested: decodes one chunk to the frame packs that its missing analyses need, and requests
 * those.
 */
@Injectable()
export class ChunkHandler {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(ChunkDecoder) private readonly decoder: ChunkDecoder,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
  ) {}

  async decode({ chunkId }: Payload<'chunks.requested'>, context: BusContext): Promise<void> {
    const work = leasedChunk(chunkId);
    const claim = await claimAttempt(this.db, work, this.settings.leaseSeconds);
    if (claim === null) return;
    const task = await readTask(this.db.manager, chunkId, claim.attempt >= this.settings.maxAttempts);
    if (task === null) return;
    await runAttempt(
      { db: this.db, settings: this.settings, work, ...claim, signal: context.signal },
      async (signal) => {
        if (task.job.state === 'waiting') await this.begin(task.job.id);
        try {
          await this.requestAnalyses(task, await this.decoder.decode(task, signal));
        } catch (error) {
          await this.dropUnwanted(task.chunk);
          throw error;
        }
      },
      async (problem, isOurs) => {
        log.warn({ chunkId, err: problem }, 'a chunk cannot be decoded');
        const digests = task.analyses.map((analysis) => analysis.digest);
        await this.outbox.transaction(async (manager) => {
          if (!(await isOurs(manager))) return;
          await failAnalyses(manager, task.message, chunkId, digests, problem.message);
        });
      },
    );
  }

  /** A job that is retried after planning has no sources to open: its first chunk starts it. */
  private begin(jobId: string): Promise<void> {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked?.isActive) await locked.apply({ kind: 'opened' });
    });
  }

  private async requestAnalyses(task: ChunkTask, packs: Record<string, PackKeys>): Promise<void> {
    const { chunk, analyses } = task;
    const [outcome] = await this.outbox.statement<{ live: boolean }>(
      ...decodedChunk({
        ...chunk,
        packs,
        digests: analyses.map((analysis) => analysis.digest),
        leaseSeconds: dispatchSeconds(this.settings),
        messages: analyses.map((each) => analysisRequest(task.message, { chunkId: chunk.id, ...each })),
      }),
    );
    if (outcome?.live !== true) await this.dropUnwanted(chunk);
  }

  /**
   * Removes the packs of a job that has ended or is gone. A running job writes them again with its next attempt. Never
   * throws: the job's end has recorded its packs, and the sweeper removes them otherwise.
   */
  private async dropUnwanted({ id, jobId }: ChunkTask['chunk']): Promise<void> {
    try {
      const live: unknown[] = await this.db.query(`SELECT 1 FROM jobs j WHERE j.id = $1 AND ${isLive('j')}`, [jobId]);
      if (live.length === 0) await this.objects.deletePrefix(chunkPacksPrefix(jobId, id));
    } catch (error) {
      log.warn({ jobId, chunkId: id, err: error }, 'unused packs are removed later');
    }
  }
}
