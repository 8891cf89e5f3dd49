import { isActive, type JobEntity } from '@adit/database';
import { jobProgress, LockedJob } from '@adit/jobs';
import { OutboxRelay } from '@adit/outbox';
import { InstallationLease } from '@adit/leases';
import { createLogger, inTrace } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { FoldAdvance } from './fold-advance.js';
import { JobEndings, type Ending } from '../endings/complete-jobs.js';
import { BEGUN, HAS_READY_FOLD } from './waiting-folds.js';

const log = createLogger('aggregator');
/** Longer than the pause between two rounds of `advanceAll`, with one job that is advanced: it is renewed in between. */
const LEASE_SECONDS = 90;

/** Advances a job as far as possible: folds, ends modules, has the job ended. Safe to call at any time. */
@Injectable()
export class JobAdvance {
  private readonly current = new Map<string, Promise<void>>();
  private readonly next = new Map<string, Promise<void>>();
  private readonly lease: InstallationLease;
  private round: Promise<void> | null = null;
  private stopping = false;

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(FoldAdvance) private readonly folds: FoldAdvance,
    @Inject(JobEndings) private readonly endings: JobEndings,
  ) {
    this.lease = new InstallationLease(db, 'job-advance', LEASE_SECONDS);
  }

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
    const rows: unknown[] = await this.db.query(`SELECT 1 FROM jobs j WHERE j.id = $1 AND ${BEGUN} AND ${MAY_END}`, [
      jobId,
    ]);
    return rows.length > 0;
  }

  /**
   * Does `advanceAll` where this process is the one of all that does, in one round at a time: while a job hangs nobody renews
   * the lease, so another process takes over, as when this one has died. Throws nothing.
   */
  advanceAllAlone(): Promise<void> {
    return (this.round ??= this.alone().finally(() => (this.round = null)));
  }

  /** Lets another process take over at once, for the end of this one; a round in progress ends after its job. Throws nothing. */
  async release(): Promise<void> {
    this.stopping = true;
    await this.lease.release().catch((error: unknown) => {
      log.debug({ err: error }, 'the lease of advancing jobs could not be released; it runs out');
    });
  }

  private async alone(): Promise<void> {
    try {
      if (this.stopping || !(await this.lease.take())) return;
      await this.advanceAll(async () => !this.stopping && (await this.lease.keep()));
    } catch (error) {
      log.debug({ err: error }, 'jobs could not be advanced; the next round tries again');
    }
  }

  /** Advances jobs that a lost message or a crash left with nothing in flight, until `goesOn` says no. */
  async advanceAll(goesOn: () => Promise<boolean> = () => Promise.resolve(true)): Promise<void> {
    await this.endings.forgetFailed().catch((error: unknown) => {
      log.warn({ err: error }, 'failed ends could not be removed; the next round tries again');
    });
    for (const { id, traceparent } of await this.stuck().catch(unread)) {
      if (!(await goesOn())) return;
      try {
        await inTrace(traceparent, () => this.advance(id));
      } catch (error) {
        // Other jobs may succeed; this one is retried in the next round.
        log.warn({ jobId: id, err: error }, 'a job could not be advanced');
      }
    }
  }

  /** Jobs that can be advanced, by one statement for all: most have nothing to do but to wait. */
  private async stuck(): Promise<Pick<JobEntity, 'id' | 'traceparent'>[]> {
    const begun = `SELECT j.id, j.traceparent FROM jobs j WHERE ${BEGUN}`;
    try {
      return await this.db.query(`${begun} AND (${HAS_READY_FOLD} OR ${MAY_END})`);
    } catch (error) {
      // One job whose rows cannot even be read stops none of the others.
      log.warn({ err: error }, 'it cannot be told which jobs are stuck; each one is looked at by itself');
      return this.db.query(begun);
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

/** SQL: the job `j` has a running module without open folds, or no running module at all, and nobody ends it. */
const MAY_END = `
  NOT EXISTS (SELECT 1 FROM job_endings e WHERE e.job_id = j.id) AND (
    NOT EXISTS (SELECT 1 FROM job_modules m WHERE m.job_id = j.id AND ${isActive('m')})
    OR NOT EXISTS (SELECT 1 FROM job_sources s WHERE s.job_id = j.id AND s.state IN ('waiting', 'requested'))
      AND EXISTS (
        SELECT 1 FROM job_modules m WHERE m.job_id = j.id AND ${isActive('m')}
           AND NOT EXISTS (SELECT 1 FROM folds f WHERE f.job_id = j.id AND f.module_id = m.module_id AND NOT f.closed)))`;

function unread(error: unknown): [] {
  log.warn({ err: error }, 'running jobs could not be read; the next round tries again');
  return [];
}
