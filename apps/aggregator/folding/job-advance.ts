import { isActive, JobEntity, LIVE_JOB } from '@adit/database';
import { jobProgress, LockedJob } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { createLogger, inTrace } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, Not } from 'typeorm';
import { FoldAdvance } from './fold-advance.js';
import { JobEndings, type Ending } from '../endings/complete-jobs.js';
import { BEGUN } from './waiting-folds.js';

const log = createLogger('aggregator');

/** Advances a job as far as possible: folds, ends modules, has the job ended. Safe to call at any time. */
@Injectable()
export class JobAdvance {
  private readonly current = new Map<string, Promise<void>>();
  private readonly next = new Map<string, Promise<void>>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(FoldAdvance) private readonly folds: FoldAdvance,
    @Inject(JobEndings) private readonly endings: JobEndings,
  ) {}

  /**
   * Calls for a job that is being advanced share one more run after it: two at the same time would only contend for
   * its row.
   */
  advance(jobId: string): Promise<void> {
    const waiting = this.next.get(jobId);
    if (waiting !== undefined) return waiting;
    const before = this.current.get(jobId) ?? Promise.resolve();
    const run = before
      .catch(() => undefined)
      .then(() => {
        this.next.delete(jobId);
        this.current.set(jobId, run);
        return this.run(jobId);
      })
      .finally(() => {
        if (this.current.get(jobId) === run) this.current.delete(jobId);
      });
    this.next.set(jobId, run);
    return run;
  }

  private async run(jobId: string): Promise<void> {
    const { folded, ...advanced } = await this.folds.advance(jobId);
    let { ended } = advanced;
    // Folding has ended the modules itself.
    if (!folded && (await this.mayEnd(jobId))) ended = await this.endModules(jobId);
    if (ended !== null) this.endings.begin(ended);
  }

  /** Checks before the job is locked for a running module without open folds, or for no module at all. */
  private async mayEnd(jobId: string): Promise<boolean> {
    const rows: unknown[] = await this.db.query(
      `SELECT 1 FROM jobs j WHERE j.id = $1 AND ${BEGUN}
          AND NOT EXISTS (SELECT 1 FROM job_endings e WHERE e.job_id = j.id) AND (
         NOT EXISTS (SELECT 1 FROM job_modules m WHERE m.job_id = j.id AND ${isActive('m')})
         OR NOT EXISTS (SELECT 1 FROM job_sources s WHERE s.job_id = j.id AND s.state IN ('waiting', 'requested'))
           AND EXISTS (
             SELECT 1 FROM job_modules m WHERE m.job_id = j.id AND ${isActive('m')}
                AND NOT EXISTS (SELECT 1 FROM folds f WHERE f.job_id = j.id AND f.module_id = m.module_id AND NOT f.closed)))`,
      [jobId],
    );
    return rows.length > 0;
  }

  /** Advances jobs that a lost message or a crash left with nothing in flight. Throws nothing. */
  async advanceAll(): Promise<void> {
    await this.endings.forgetFailed().catch((error: unknown) => {
      log.warn({ err: error }, 'failed ends could not be removed; the next round tries again');
    });
    for (const { id, traceparent } of await this.begun()) {
      try {
        await inTrace(traceparent, () => this.advance(id));
      } catch (error) {
        // Other jobs may succeed; this one is retried in the next round.
        log.warn({ jobId: id, err: error }, 'a job could not be advanced');
      }
    }
  }

  private async begun(): Promise<Pick<JobEntity, 'id' | 'traceparent'>[]> {
    try {
      return await this.db.manager.find(JobEntity, {
        where: { ...LIVE_JOB, timeStarted: Not(IsNull()) },
        select: { id: true, traceparent: true },
      });
    } catch (error) {
      log.warn({ err: error }, 'running jobs could not be read; the next round tries again');
      // eslint-disable-next-line adit/no-lost-errors -- they are read again, as it says
      return [];
    }
  }

  /** Returns the end that is left to do when all its modules have ended. */
  private endModules(jobId: string): Promise<Ending | null> {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (!locked?.isActive) return null;
      return this.endings.endModules(locked, await jobProgress(manager, jobId));
    });
  }
}
