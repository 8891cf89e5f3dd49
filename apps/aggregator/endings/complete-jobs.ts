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
/** Jobs that one process ends at the same time. */
const ENDING_CONCURRENCY = 4;

/** The end of a job that this process has claimed in the transaction that ended the modules. */
export interface Ending extends EndedJob {
  task: ClaimedTask;
}

/**
 * Ends jobs whose modules have ended: a task in the database that is done once, by the process that ended the last module or,
 * when that has died, by another. Messages of the partition do not wait for it.
 */
@Injectable()
export class JobEndings extends TaskLoop {
  private readonly turn = pLimit(ENDING_CONCURRENCY);
  private readonly underway = new Set<Promise<void>>();
  /** Of tasks that this process claimed itself, by their ids. */
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

  /** Resolves when all jobs that are to be ended now have been. */
  override async idle(): Promise<void> {
    await super.idle();
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  /**
   * Ends the modules that have nothing left to do, and notes that the job is to be ended when none is left; null when there is,
   * or when that is noted already. The caller writes what it changed of the job.
   */
  async endModules(locked: LockedJob, progress: JobProgress): Promise<Ending | null> {
    return (await endModules(locked, progress)) ? this.claim(locked.manager, locked) : null;
  }

  /**
   * Earlier builds left an ending that failed as it was, and with it the job. It is forgotten, so that the job is looked at
   * again like any other that stands still: an attempt that still winds down finds no row of its own.
   */
  async forgetFailed(): Promise<void> {
    const affected = await forgetFailedEndings(this.db);
    if (affected > 0) log.warn({ count: affected }, 'jobs whose end had failed are ended again');
  }

  private async claim(manager: EntityManager, { job, modules }: EndedJob): Promise<Ending | null> {
    const task = await claimEnding(manager, job);
    return task === null ? null : { job, modules, task };
  }

  /** Begins what was claimed, once that has committed. Does not wait for it. */
  begin({ task, job, modules }: Ending): void {
    this.known.set(task.key.id, { job, modules });
    const work = outsideTransaction(() => this.alive(task, () => this.turn(() => this.attempt(task))));
    const ended = work
      // The database is away: the lease runs out, and the task is done then.
      .catch(() => undefined)
      .finally(() => {
        this.known.delete(task.key.id);
        this.underway.delete(ended);
      });
    this.underway.add(ended);
  }

  protected async run(task: ClaimedTask): Promise<void> {
    const ended = this.known.get(task.key.id) ?? (await this.read(task));
    // Another job's message may have woken this loop.
    if (ended !== null) await inTrace(ended.job.traceparent, () => this.endJob(task, ended));
  }

  private async endJob(task: ClaimedTask, ended: EndedJob): Promise<void> {
    await this.joinIdentities(ended.job.id);
    const problems = await this.enrolled.file(ended);
    const files = await this.artifacts.write(ended);
    const unwanted = await this.end(task, ended.job.id, files, problems);
    // What was written for an end that is no longer wanted, or another process's by now, goes again.
    await this.artifacts.remove(unwanted ?? files.artifacts.map(({ objectKey }) => objectKey));
    // It makes room for a job that waits.
    this.scheduler.nudge();
  }

  /** Before anything is written of them: files, the summary and what readers see name the same people. */
  private async joinIdentities(jobId: string): Promise<void> {
    // Most jobs have none, and hold their row for nothing.
    const few = await this.db.manager.find(IdentityEntity, { where: { jobId }, select: { number: true }, take: 2 });
    if (few.length < 2) return;
    await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked?.isActive) await joinIdentities(manager, jobId);
    });
  }

  /** Null when the job was deleted. */
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

  /** The job ends without its files: its results can be read all the same. */
  protected override async gaveUp(task: ClaimedTask, message: string): Promise<void> {
    const ending = await this.db.manager.findOneBy(JobEndingEntity, { id: task.key.id });
    if (ending === null) return;
    await this.end(task, ending.jobId, null, [`The files of the job could not be written: ${message}`]);
    this.scheduler.nudge();
  }

  /**
   * Ends a job, with its files or without, and with what is to be said of that: here, and nowhere else. Returns the keys of files
   * that these replace; null when the end is not this attempt's to make, or is not wanted any more.
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
      const replaced = await this.artifacts.store(manager, jobId, files);
      locked.job.summary = files.summary;
      await locked.apply({ kind: 'finished' }, files.timeCompleted);
      return replaced;
    });
  }
}
