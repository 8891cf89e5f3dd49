import { outsideTransaction } from '@adit/database';
import { LockedJob } from '@adit/jobs';
import { DueWork } from '@adit/leases';
import { OutboxRelay } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

const log = createLogger('aggregator');
const PERIOD_MILLISECONDS = 500;

interface Pause {
  /** Unpublished progress: chunks were folded, or pictures of running ones were analysed. */
  pending: 'folded' | 'moved' | null;
  timer: NodeJS.Timeout;
}

/**
 * Publishes progress at most twice a second for each job. Progress in between is published together afterwards, so
 * that none is lost. Progress within chunks is read by one statement for all jobs, while there is some (`DueWork`).
 */
@Injectable()
export class ProgressPace implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly pausing = new Map<string, Pause>();
  /** Progress of the running chunks of each job at the last query. */
  private seen = new Map<string, number>();
  private unwatch: (() => Promise<void>) | null = null;
  private querying: Promise<void> | null = null;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
  ) {}

  onApplicationBootstrap(): void {
    const found = (): void => {
      // A slow database is not queried again before it has answered.
      this.querying ??= this.publishMoved().finally(() => (this.querying = null));
    };
    this.unwatch = DueWork.of(this.db).watch({ name: 'progress', due: `EXISTS (SELECT 1 ${OF_MOVING})`, found });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.unwatch?.();
    await this.querying;
    for (const { timer } of this.pausing.values()) clearTimeout(timer);
    this.pausing.clear();
  }

  /** Publishes now, in the transaction that holds the job, or later. The changed progress is written now either way. */
  async note(locked: LockedJob): Promise<void> {
    const pause = this.pausing.get(locked.job.id);
    if (pause !== undefined) {
      pause.pending = 'folded';
      return;
    }
    this.pause(locked.job.id);
    await locked.noteProgress();
  }

  /** Publishes progress of jobs whose chunks moved since the last query. Throws nothing. */
  async publishMoved(): Promise<void> {
    try {
      const rows: { job_id: string; done: number }[] = await this.db.query(MOVING);
      const moved = rows.filter(({ job_id, done }) => this.seen.get(job_id) !== done);
      this.seen = new Map(rows.map(({ job_id, done }) => [job_id, done]));
      for (const { job_id: jobId } of moved) {
        const pause = this.pausing.get(jobId);
        if (pause === undefined) await this.publish(jobId, 'moved');
        else pause.pending ??= 'moved';
      }
    } catch (error) {
      log.debug({ err: error }, 'progress of chunks could not be read; it is retried');
    }
  }

  private pause(jobId: string): void {
    const timer = outsideTransaction(() => setTimeout(() => void this.over(jobId), PERIOD_MILLISECONDS));
    timer.unref();
    this.pausing.set(jobId, { pending: null, timer });
  }

  private async over(jobId: string): Promise<void> {
    const pending = this.pausing.get(jobId)?.pending ?? null;
    this.pausing.delete(jobId);
    if (pending !== null) await this.publish(jobId, pending);
  }

  private async publish(jobId: string, what: 'folded' | 'moved'): Promise<void> {
    this.pause(jobId);
    try {
      await this.outbox.transaction(async (manager) => {
        const locked = await LockedJob.take(manager, jobId);
        // When every module has ended, the job's own end comes next.
        if (!locked?.isActive || locked.activeModules.length === 0) return;
        // Every aggregator sees progress within chunks.
        const published = await locked.noteProgress(what === 'moved' ? { within: PERIOD_MILLISECONDS } : null);
        const pause = this.pausing.get(jobId);
        if (!published && pause !== undefined) pause.pending ??= 'moved';
        await locked.flush();
      });
    } catch (error) {
      log.debug({ jobId, err: error }, 'progress could not be published; the next event says it');
    }
  }
}

const OF_MOVING = `
    FROM jobs j JOIN chunk_analyses a ON a.job_id = j.id
   WHERE j.state = 'processing' AND j.time_deleted IS NULL
     AND a.state = 'requested' AND a.lease_until IS NOT NULL AND a.running_until IS NOT NULL AND a.progress > 0`;
const MOVING = `SELECT a.job_id, sum(a.progress)::float8 AS done ${OF_MOVING} GROUP BY 1`;
