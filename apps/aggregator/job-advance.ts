import { FoldEntity, JobEntity, JobModuleEntity, JobSourceEntity } from '@adit/database';
import { allModulesEnded, isTerminal, LockedJob, OutboxRelay } from '@adit/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, Not } from 'typeorm';
import { FoldAdvance } from './fold-advance.js';
import { JobArtifacts } from './job-artifacts.js';

/** Takes a job as far as it can go now: folds, ends modules, writes artifacts, ends the job. Safe to call at any time. */
@Injectable()
export class JobAdvance {
  private readonly current = new Map<string, Promise<void>>();
  private readonly next = new Map<string, Promise<void>>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(FoldAdvance) private readonly folds: FoldAdvance,
    @Inject(JobArtifacts) private readonly artifacts: JobArtifacts,
  ) {}

  /** Calls for a job that is being advanced share one more run after it: two at once would only race for its row. */
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
    const { manager } = this.db;
    const job = await manager.findOneBy(JobEntity, { id: jobId, timeDeleted: IsNull() });
    // A job whose first source was never opened has nothing to fold yet.
    if (job === null || isTerminal(job.state) || job.timeStarted === null) return;
    for (const module of await manager.findBy(JobModuleEntity, { jobId })) {
      if (isTerminal(module.state)) continue;
      const { moduleId } = module;
      const open = await manager.find(FoldEntity, {
        where: { jobId, moduleId, closed: false },
        order: { sourceIndex: 'ASC' },
      });
      for (const fold of open) await this.folds.advance(module, fold);
    }
    if (await this.endModules(jobId)) await this.finish(jobId);
  }

  /** Jobs that a lost message or a crash left with nothing in flight to move them on. */
  async advanceAll(): Promise<void> {
    const jobs = await this.db.manager.find(JobEntity, {
      where: { state: In(['waiting', 'processing']), timeDeleted: IsNull(), timeStarted: Not(IsNull()) },
      select: { id: true },
    });
    for (const { id } of jobs) await this.advance(id);
  }

  /** Completes modules whose folds are all closed; fails the job when no source is readable. True when all have ended. */
  private endModules(jobId: string): Promise<boolean> {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (!locked?.isActive) return false;
      if (allModulesEnded(locked.states)) return true;
      const pending = await manager.existsBy(JobSourceEntity, { jobId, state: In(['waiting', 'requested']) });
      if (pending) return false;
      const readable = await manager.existsBy(JobSourceEntity, { jobId, state: 'planned' });
      for (const { moduleId } of locked.activeModules) {
        const open = await manager.existsBy(FoldEntity, { jobId, moduleId, closed: false });
        if (open) continue;
        // A retried job may have nothing left to do, so that nothing has started it.
        await locked.apply({ kind: 'opened' });
        await locked.apply({ kind: readable ? 'module-completed' : 'module-failed', module: moduleId });
      }
      return allModulesEnded(locked.states);
    });
  }

  private async finish(jobId: string): Promise<void> {
    await this.artifacts.write(jobId);
    await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked?.isActive) await locked.apply({ kind: 'finished' });
    });
  }
}
