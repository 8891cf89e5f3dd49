import { isLive } from '@adit/database';
import { releaseKeys } from '@adit/idempotency';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import {
  CHUNKS_PER_PAGE,
  forgiveBesideAnalyses,
  releaseDrafts,
  renewAnalysisLeases,
  renewChunkLeases,
  settleChunks,
} from '../chunks/chunk-states.js';
import { endStoppedStreams } from '../chunks/live-chunks.js';
import { failLateLive, failLostLive } from '../chunks/lost-live-chunks.js';
import { renewSourceLeases } from '../chunks/source-states.js';
import { enqueue, OutboxRelay } from '@adit/outbox';
import { redispatched } from '../metrics.js';
import { Scheduler } from './scheduler.js';
import { dispatchSeconds, InstallationLease, LEASED_TABLES, voidInstallationLeases, voidLeases } from '@adit/leases';
import { JOB_SETTINGS, type JobSettings } from './settings.js';
import type { AnalysisTopic } from '@adit/contracts';
import { analysisRequest, chunkRequest, sourceRequest } from '../chunks/requests.js';

const log = createLogger('reconciler');

/**
 * Dispatches again work that was not finished within its lease, ends chunks whose last analysis has ended, and
 * dispatches chunks that their planner left behind. So a lost message or the death of any process is only a delay.
 * Attempts are counted where the work starts, so poison still ends.
 */
@Injectable()
export class Reconciler implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private readonly periodSeconds: number;
  private readonly lease: InstallationLease;
  private isHolder = false;

  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    @Inject(DataSource) private readonly db: DataSource,
  ) {
    this.periodSeconds = Math.min(15, settings.leaseSeconds / 4);
    this.lease = new InstallationLease(db, 'reconciler', 2 * this.periodSeconds);
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running ??= this.runAlone().finally(() => (this.running = null));
    }, this.periodSeconds * 1000);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
    if (!this.isHolder) return;
    await this.lease.release().catch((error: unknown) => {
      log.debug({ err: error }, 'the lease of reconciling could not be released; it runs out');
    });
  }

  /** Reconciles where this process is the one of all that does; another takes over when it has died. */
  private async runAlone(): Promise<void> {
    try {
      this.isHolder = await this.lease.take();
      if (this.isHolder && (await this.hasJobs())) await this.run();
    } catch (error) {
      log.debug({ err: error }, 'it cannot be told whether there is something to reconcile; the next run tries again');
    }
  }

  /** All that it does is for jobs that live; mostly there are none. */
  private async hasJobs(): Promise<boolean> {
    const rows: unknown[] = await this.db.query(`SELECT 1 FROM jobs j WHERE ${isLive('j')} LIMIT 1`);
    return rows.length > 0;
  }

  /**
   * Recovers at start a process that is alone with its database: every lease of its former life is void, so the work
   * in progress when it died is dispatched at once.
   */
  async recover(): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      await forgiveBesideAnalyses(manager);
      for (const table of LEASED_TABLES) await voidLeases(manager, table);
      await voidInstallationLeases(manager);
      // Nobody waits for these requests any more; a repeated request gets the result of what was done.
      await releaseKeys(manager);
    });
    await this.run();
  }

  async run(): Promise<void> {
    try {
      const count = await this.outbox.transaction((manager) => this.redispatch(manager));
      if (count > 0) log.warn({ count }, 'work whose lease ran out was dispatched again');
      const left = await this.outbox.transaction(settleChunks);
      if (left > 0) log.info({ count: left }, 'stuck chunks were moved on');
      while ((await this.outbox.transaction(releaseDrafts)) === CHUNKS_PER_PAGE);
      const stopped = await this.outbox.transaction(endStoppedStreams);
      if (stopped > 0) log.warn({ count: stopped }, 'streams that were stopped ended without their recorders');
      const lost = await this.outbox.transaction(async (tx) => (await failLostLive(tx)) + (await failLateLive(tx)));
      if (lost > 0) log.warn({ count: lost }, 'chunks of live streams were given up');
      this.scheduler.nudge();
    } catch (error) {
      log.warn({ err: error }, 'reconciling failed; the next run tries again');
    }
  }

  private async redispatch(manager: EntityManager): Promise<number> {
    const lease = dispatchSeconds(this.settings);
    const sources = await renewSourceLeases(manager, lease);
    const chunks = await renewChunkLeases(manager, lease);
    const analyses = await renewAnalysisLeases(manager, lease);
    await enqueue<'sources.requested' | 'chunks.requested' | AnalysisTopic>(manager, [
      ...sources.map(({ index, ...job }) => sourceRequest(job, index)),
      ...chunks.map(({ id, sourceStart, ...job }) => chunkRequest(job, { id, sourceStart })),
      // A new key each time: the former process may be of a build that lacks the analysis, or may have died.
      ...analyses.map((row) => analysisRequest(row, row, `${row.chunkId}/${Date.now()}`)),
    ]);
    redispatched.inc({ kind: 'source' }, sources.length);
    redispatched.inc({ kind: 'chunk' }, chunks.length);
    redispatched.inc({ kind: 'analysis' }, analyses.length);
    return sources.length + chunks.length + analyses.length;
  }
}
