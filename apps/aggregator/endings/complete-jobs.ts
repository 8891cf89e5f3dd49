import pLimit from 'p-limit';
import { IdentityEntity, JobEntity, JobEndingEntity, JobModuleEntity, outsideTransaction } from '@adit/database';
import {
  cancelEnding,
  claimEnding,
  closeEnding,
  forgetFailedEndings,
  joinIdentities,
  LockedJob,
  Scheduler,
  type JobProgress,
} from '@adit/jobs';
import { JOB_ENDINGS, TaskLoop, type ClaimedTask } from '@adit/leases';
import { OutboxRelay } from '@adit/outbox';
import { createLogger, inTrace } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { JobArtifacts, type EndedJob, type JobFiles } from './job-artifacts.js';
import { endModules } from './job-progress.js';
import { EnrolledFaces } from './enrolled-faces.js';

const log = createLogger('aggregator');
/** Jobs that one process ends concurrently. */
const ENDING_CONCURRENCY = 4;

/** End of a job that this process has claimed in the transaction that ended the modules. */
export interface Ending extends EndedJob {
  task: ClaimedTask;
}

/**
 * Ends jobs whose modules have ended. The end is a task in the database that runs once, in the process that ended the
 * last module or, when that has died, in another. Messages of the partition do not wait for it.
 */
@Injectable()
export class JobEndings extends TaskLoop {
  private readonly limit = pLimit(ENDING_CONCURRENCY);
  private readonly underway = new Set<Promise<void>>();
  /** Heartbeats of tasks that this process claimed itself, by their ids. */
  private readonly known = new Map<string, EndedJob>();

  constructor(
    @Inject(DataSource) db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(JobArtifacts) private readonly artifacts: JobArtifacts,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
    @Inject(EnrolledFaces) private readonly enrolled: EnrolledFaces,
  ) {
    super(db, JOB_ENDINGS);
  }

  override async onApplicationShutdown(): Promise<void> {
    await Promise.all([super.onApplicationShutdown(), ...this.underway]);
  }

  /** Resolves when all jobs that are due have been ended. */
  override async idle(): Promise<void> {
    await super.idle();
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  /**
   * Ends the modules that have nothing left to do, and claims the end of the job when none is left; null otherwise,
   * or when it is claimed already. The caller writes the changes of the job.
   */
  async endModules(locked: LockedJob, progress: JobProgress): Promise<Ending | null> {
    return (await endModules(locked, progress)) ? this.claim(locked.manager, locked) : null;
  }

  /**
   * Removes failed endings, which earlier builds left with their jobs, so that such a job is handled like any other
   * stuck job. An attempt that is still ending finds no row of its own.
   */
  async forgetFailed(): Promise<void> {
    const affected = await forgetFailedEndings(this.db);
    if (affected > 0) log.warn({ count: affected }, 'jobs whose end had failed are ended again');
  }

  private async claim(manager: EntityManager, { job, modules }: EndedJob): Promise<Ending | null> {
    const task = await claimEnding(manager, job);
    return task === null ? null : { job, modules, task };
  }

  /** Starts a claimed end once its claim has committed. Does not wait for it. */
  begin({ task, job, modules }: Ending): void {
    this.known.set(task.key.id, { job, modules });
    const work = outsideTransaction(() => this.alive(task, () => this.limit(() => this.attempt(task))));
    const ended = work
      // The database is unavailable: the lease runs out, and the task runs then.
      .catch(() => undefined)
      .finally(() => {
        this.known.delete(task.key.id);
        this.underway.delete(ended);
      });
    this.underway.add(ended);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const ended = this.known.get(task.key.id) ?? (await this.read(task));
    // A message of another job may have woken this loop.
    if (ended !== null) await inTrace(ended.job.traceparent, () => this.endJob(task, ended));
  }

  private async endJob(task: ClaimedTask, ended: EndedJob): Promise<void> {
    await this.joinIdentities(ended.job.id);
    const problems = await this.enrolled.file(ended);
    const files = await this.artifacts.write(ended);
    const unwanted = await this.end(task, ended.job.id, files, problems);
    // Files of an end that is no longer wanted, or that another process has taken over, are removed.
    await this.artifacts.remove(unwanted ?? files.artifacts.map(({ objectKey }) => objectKey));
    // The job leaves a slot for one that waits.
    this.scheduler.nudge();
  }

  /** Joins identities before any file is written: files, the summary and readers name the same people. */
  private async joinIdentities(jobId: string): Promise<void> {
    // Most jobs have none, so their row need not be locked.
    const few = await this.db.manager.find(IdentityEntity, { where: { jobId }, select: { number: true }, take: 2 });
    if (few.length < 2) return;
    await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked?.isActive) await joinIdentities(manager, jobId);
    });
  }

  /** Returns the job; null when it was deleted. */
  private async read({ key: { id } }: ClaimedTask): Promise<EndedJob | null> {
    const { manager } = this.db;
    const ending = await manager.findOneBy(JobEndingEntity, { id });
    if (ending === null) return null;
    const { jobId } = ending;
    const job = await manager.findOneBy(JobEntity, { id: jobId, timeDeleted: IsNull() });
    const modules = await manager.find(JobModuleEntity, { where: { jobId }, order: { position: 'ASC' } });
    if (job !== null) return { job, modules };
    await cancelEnding(manager, jobId);
    return null;
  }

  /** Ends the job without files: its results are readable all the same. */
  protected override async gaveUp(task: ClaimedTask, message: string): Promise<void> {
    const ending = await this.db.manager.findOneBy(JobEndingEntity, { id: task.key.id });
    if (ending === null) return;
    await this.end(task, ending.jobId, null, [`The files of the job could not be written: ${message}`]);
    this.scheduler.nudge();
  }

  /**
   * Ends a job, with or without files, and raises its events; no other place does. Returns the keys of files that
   * these replace; null when another attempt ends the job, or the end is no longer wanted.
   */
  private end(task: ClaimedTask, jobId: string, files: JobFiles | null, problems: string[]): Promise<string[] | null> {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      const isOwn = await closeEnding(manager, task);
      if (!locked?.isActive || !isOwn) return null;
      await locked.addErrors(problems);
      if (files === null) {
        await locked.apply({ kind: 'finished' });
        return [];
      }
      const replaced = await this.artifacts.store(manager, locked.job, files);
      locked.job.summary = files.summary;
      await locked.apply({ kind: 'finished' }, files.timeCompleted);
      return replaced;
    });
  }
}
