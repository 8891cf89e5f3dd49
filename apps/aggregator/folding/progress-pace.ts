import { outsideTransaction } from '@adit/database';
import { LockedJob } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';

const log = createLogger('aggregator');
const PERIOD_MILLISECONDS = 500;
/** How often it is looked for what moved within chunks: as often as their workers say it. */
const LOOK_MILLISECONDS = 1_000;

interface Pause {
  /** Chunks were folded, or only pictures of running ones were done, since it was told. */
  untold: 'folded' | 'moved' | null;
  timer: NodeJS.Timeout;
}

/**
 * Progress is told at most twice a second for each job: what comes sooner is told together when the time has come, so that
 * no stand is kept back. What moves within chunks is looked for once a second, by one statement for all jobs.
 */
@Injectable()
export class ProgressPace implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly pausing = new Map<string, Pause>();
  /** How far the running chunks of each job were at the last look. */
  private seen = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | null = null;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      // A slow database is not asked again before it has answered.
      this.looking ??= this.look().finally(() => (this.looking = null));
    }, LOOK_MILLISECONDS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
    for (const { timer } of this.pausing.values()) clearTimeout(timer);
    this.pausing.clear();
  }

  /** Tells now, in the transaction that holds the job, or later. The changed progress is written now either way. */
  async note(locked: LockedJob): Promise<void> {
    const pause = this.pausing.get(locked.job.id);
    if (pause !== undefined) {
      pause.untold = 'folded';
      return;
    }
    this.pause(locked.job.id);
    await locked.noteProgress();
  }

  /** Tells of the jobs whose chunks moved since the last look. Throws nothing. */
  async look(): Promise<void> {
    try {
      const rows: { job_id: string; done: number }[] = await this.db.query(MOVING);
      const moved = rows.filter(({ job_id, done }) => this.seen.get(job_id) !== done);
      this.seen = new Map(rows.map(({ job_id, done }) => [job_id, done]));
      for (const { job_id: jobId } of moved) {
        const pause = this.pausing.get(jobId);
        if (pause === undefined) await this.tell(jobId, 'moved');
        else pause.untold ??= 'moved';
      }
    } catch (error) {
      log.debug({ err: error }, 'it cannot be seen how far chunks are; the next look says it');
    }
  }

  private pause(jobId: string): void {
    const timer = outsideTransaction(() => setTimeout(() => void this.over(jobId), PERIOD_MILLISECONDS));
    timer.unref();
    this.pausing.set(jobId, { untold: null, timer });
  }

  private async over(jobId: string): Promise<void> {
    const untold = this.pausing.get(jobId)?.untold ?? null;
    this.pausing.delete(jobId);
    if (untold !== null) await this.tell(jobId, untold);
  }

  private async tell(jobId: string, what: 'folded' | 'moved'): Promise<void> {
    this.pause(jobId);
    try {
      await this.outbox.transaction(async (manager) => {
        const locked = await LockedJob.take(manager, jobId);
        // When every module has ended, what comes next is the job's own end.
        if (!locked?.isActive || locked.activeModules.length === 0) return;
        // Each aggregator sees what moves within chunks.
        const told = await locked.noteProgress(what === 'moved' ? { within: PERIOD_MILLISECONDS } : null);
        const pause = this.pausing.get(jobId);
        if (!told && pause !== undefined) pause.untold ??= 'moved';
        await locked.flush();
      });
    } catch (error) {
      log.debug({ jobId, err: error }, 'progress could not be told; the next event says it');
    }
  }
}

const MOVING = `
  SELECT a.job_id, sum(a.progress)::float8 AS done
    FROM jobs j JOIN chunk_analyses a ON a.job_id = j.id
   WHERE j.state = 'processing' AND j.time_deleted IS NULL
     AND a.state = 'requested' AND a.lease_until IS NOT NULL AND a.running_until IS NOT NULL AND a.progress > 0
   GROUP BY 1`;
