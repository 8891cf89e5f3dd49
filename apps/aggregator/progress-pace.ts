import { outsideTransaction } from '@adit/database';
import { LockedJob, OutboxRelay } from '@adit/jobs';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';

const log = createLogger('aggregator');
const PERIOD_MILLISECONDS = 500;

/**
 * Progress is told at most twice a second for each job: what comes sooner is told together when the time has come, so that
 * no stand is kept back.
 */
@Injectable()
export class ProgressPace implements OnApplicationShutdown {
  private readonly pausing = new Map<string, { untold: boolean; timer: NodeJS.Timeout }>();

  constructor(@Inject(OutboxRelay) private readonly outbox: OutboxRelay) {}

  onApplicationShutdown(): void {
    for (const { timer } of this.pausing.values()) clearTimeout(timer);
    this.pausing.clear();
  }

  /** Tells now, in the transaction that holds the job, or later. The changed progress is written now either way. */
  async note(locked: LockedJob): Promise<void> {
    const pause = this.pausing.get(locked.job.id);
    if (pause !== undefined) {
      pause.untold = true;
      return;
    }
    this.pause(locked.job.id);
    await locked.noteProgress();
  }

  private pause(jobId: string): void {
    const timer = outsideTransaction(() => setTimeout(() => void this.over(jobId), PERIOD_MILLISECONDS));
    timer.unref();
    this.pausing.set(jobId, { untold: false, timer });
  }

  private async over(jobId: string): Promise<void> {
    const untold = this.pausing.get(jobId)?.untold === true;
    this.pausing.delete(jobId);
    if (!untold) return;
    this.pause(jobId);
    try {
      await this.outbox.transaction(async (manager) => {
        const locked = await LockedJob.take(manager, jobId);
        if (!locked?.isActive) return;
        await locked.noteProgress();
        await locked.flush();
      });
    } catch (error) {
      log.debug({ jobId, err: error }, 'progress could not be told; the next event says it');
    }
  }
}
