import { IdempotencyKeyEntity, isLive, returned } from '@adit/database';
import { createLogger, counter } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { IsNull, type EntityManager } from 'typeorm';
import { takeChunksOn } from '../chunks/chunk-analyses.js';
import { releaseDrafts } from '../chunks/chunk-plan.js';
import { CHUNKS_PER_PAGE } from '../chunks/chunk-rows.js';
import { enqueue, OutboxRelay } from '@adit/outbox';
import { Scheduler } from './scheduler.js';
import { dispatchSeconds, LEASED_TABLES, voidLeases } from '@adit/leases';
import { JOB_SETTINGS, type JobSettings } from './settings.js';
import type { AnalysisTopic } from '@adit/contracts';
import { analysisRequest, chunkRequest, listensOf, sourceRequest } from '../chunks/requests.js';

const log = createLogger('reconciler');
const redispatched = counter('adit_redispatched_total', 'Work dispatched again after its lease ran out', ['kind']);

interface LostRow {
  jobId: string;
  traceparent: string | null;
}

/**
 * Dispatches again what nobody finished within its lease, ends chunks whose last analysis has, and has chunks given out that
 * who planned them left behind: a lost message or the death of any process becomes a delay.
 * Attempts are counted where the work starts, so poison still ends.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;

  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
  ) {}

  onApplicationBootstrap(): void {
    const period = Math.min(15, this.settings.leaseSeconds / 4) * 1000;
    this.timer = setInterval(() => void (this.running ??= this.run().finally(() => (this.running = null))), period);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /**
   * For a process that is alone with its database: every lease of its former life is void, so what it was doing when it
   * died is dispatched at once.
   */
  async recover(): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      // ffmpeg dies alone, models take the process with them: what was only fetched or decoded beside an analysis when
      // the process died is not blamed for it.
      for (const table of ['job_sources', 'chunks']) {
        await manager.query(
          `UPDATE ${table} SET attempts = attempts - 1 WHERE state = 'requested' AND attempts > 0
             AND EXISTS (SELECT 1 FROM chunk_analyses a WHERE a.state = 'requested' AND a.attempts > 0)`,
        );
      }
      for (const table of LEASED_TABLES) await voidLeases(manager, table);
      // Nor does anybody else sweep, or whatever one of many does.
      await manager.query('DELETE FROM leases');
      // Nobody is left to answer these requests; what was done of them is answered when they are repeated.
      await manager.delete(IdempotencyKeyEntity, { status: IsNull(), timeDone: IsNull() });
      await manager.update(IdempotencyKeyEntity, { status: IsNull() }, { timeExpires: new Date() });
    });
    await this.run();
  }

  async run(): Promise<void> {
    try {
      const count = await this.outbox.transaction((manager) => this.redispatch(manager));
      if (count > 0) log.warn({ count }, 'work whose lease ran out was dispatched again');
      const left = await this.outbox.transaction(takeChunksOn);
      if (left > 0) log.info({ count: left }, 'chunks that stood still were taken on');
      while ((await this.outbox.transaction(releaseDrafts)) === CHUNKS_PER_PAGE);
      this.scheduler.nudge();
    } catch (error) {
      log.warn({ err: error }, 'reconciling failed; the next run tries again');
    }
  }

  private async redispatch(manager: EntityManager): Promise<number> {
    const lease = dispatchSeconds(this.settings);
    const sources = returned<LostRow & { index: number }>(
      await manager.query(
        `UPDATE job_sources s SET lease_until = now() + make_interval(secs => $1) FROM jobs j
          WHERE j.id = s.job_id AND ${isLive('j')} AND s.state = 'requested' AND s.lease_until <= now()
         RETURNING s.job_id AS "jobId", s.index, j.traceparent, ${listensOf('s.job_id')} AS listens`,
        [lease],
      ),
    );
    const chunks = returned<LostRow & { id: string; sourceStart: number }>(
      await manager.query(
        `UPDATE chunks s SET lease_until = now() + make_interval(secs => $1) FROM jobs j
          WHERE j.id = s.job_id AND ${isLive('j')} AND s.state = 'requested' AND s.lease_until <= now()
         RETURNING s.job_id AS "jobId", s.id, s.source_start AS "sourceStart", j.traceparent,
                   ${listensOf('s.job_id')} AS listens`,
        [lease],
      ),
    );
    const analyses = returned<LostRow & { chunkId: string; digest: string; analysis: string }>(
      await manager.query(
        `UPDATE chunk_analyses s SET lease_until = now() + make_interval(secs => $1) FROM jobs j, job_analyses a
          WHERE j.id = s.job_id AND ${isLive('j')} AND s.state = 'requested' AND s.lease_until <= now()
            AND a.job_id = s.job_id AND a.digest = s.digest
         RETURNING s.job_id AS "jobId", s.chunk_id AS "chunkId", s.digest, a.analysis, j.traceparent`,
        [lease],
      ),
    );
    await enqueue<'sources.requested' | 'chunks.requested' | AnalysisTopic>(manager, [
      ...sources.map(({ index, ...job }) => sourceRequest(job, index)),
      ...chunks.map(({ id, sourceStart, ...job }) => chunkRequest(job, { id, sourceStart })),
      // Another key each time: who was given it before may be a build that can't do it, or dead without a word.
      ...analyses.map((row) => analysisRequest(row, row, `${row.chunkId}/${Date.now()}`)),
    ]);
    redispatched.inc({ kind: 'source' }, sources.length);
    redispatched.inc({ kind: 'chunk' }, chunks.length);
    redispatched.inc({ kind: 'analysis' }, analyses.length);
    return sources.length + chunks.length + analyses.length;
  }
}
