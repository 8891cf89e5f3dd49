import { randomUUID } from 'node:crypto';
import { JobEntity, JobEndingEntity, JobModuleEntity, outsideTransaction } from '@adit/database';
import { LockedJob, Scheduler } from '@adit/jobs';
import { JOB_ENDINGS, TASK_LEASE_SECONDS, TaskLoop, type ClaimedTask } from '@adit/leases';
import { OutboxRelay } from '@adit/outbox';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { atATime } from '../folding/at-a-time.js';
import { JobArtifacts, type EndedJob } from '../results/job-artifacts.js';

/** Jobs that one process ends at the same time. */
const AT_ONCE = 4;

/** The end of a job that this process has claimed in the transaction that ended the modules. */
export interface Ending extends EndedJob {
  task: ClaimedTask;
}

/**
 * Ends jobs whose modules have ended: a task in the database that is done once, by the process that ended the last module or,
 * when that has died, by another. Messages of the partition do not wait for it.
 */
@Injectable()
export class JobEndings implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: TaskLoop;
  private readonly turn = atATime(AT_ONCE);
  private readonly underway = new Set<Promise<void>>();
  /** Of tasks that this process claimed itself, by their ids. */
  private readonly known = new Map<string, EndedJob>();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(JobArtifacts) private readonly artifacts: JobArtifacts,
    @Inject(Scheduler) private readonly scheduler: Scheduler,
  ) {
    this.loop = new TaskLoop(db, JOB_ENDINGS, {
      run: (task) => this.run(task),
      gaveUp: (task, message) => this.gaveUp(task, message),
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.loop.stop(), ...this.underway]);
  }

  /** Resolves when all jobs that are to be ended now have been. */
  async idle(): Promise<void> {
    await this.loop.idle();
    while (this.underway.size > 0) await Promise.all(this.underway);
  }

  /** Notes that the job is to be ended, in the transaction that ended its modules; null when that is noted already. */
  async claim(manager: EntityManager, { job, modules }: EndedJob): Promise<Ending | null> {
    const id = randomUUID();
    const claimed: unknown[] = await manager.query(
      `INSERT INTO job_endings (id, workspace_id, job_id, state, attempts, lease_until)
       VALUES ($1, $2, $3, 'processing', 1, now() + make_interval(secs => $4)) ON CONFLICT (job_id) DO NOTHING RETURNING id`,
      [id, job.workspaceId, job.id, TASK_LEASE_SECONDS],
    );
    const task = { rows: JOB_ENDINGS, key: { id }, attempt: 1, token: 0 };
    return claimed.length > 0 ? { job, modules, task } : null;
  }

  /** Begins what was claimed, once that has committed. Does not wait for it. */
  begin({ task, job, modules }: Ending): void {
    this.known.set(task.key.id, { job, modules });
    const work = outsideTransaction(() => this.loop.alive(task, () => this.turn(() => this.loop.attempt(task))));
    const ended = work
      // The database is away: the lease runs out, and the task is done then.
      .catch(() => undefined)
      .finally(() => {
        this.known.delete(task.key.id);
        this.underway.delete(ended);
      });
    this.underway.add(ended);
  }

  private async run(task: ClaimedTask): Promise<void> {
    const ended = this.known.get(task.key.id) ?? (await this.read(task));
    if (ended === null) return;
    await this.artifacts.finish(ended, task);
    // It makes room for a job that waits.
    this.scheduler.nudge();
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
    await manager.delete(JobEndingEntity, { id });
    return null;
  }

  /** The job ends without its files: its results can be read all the same. */
  private async gaveUp({ key: { id }, attempt }: ClaimedTask, message: string): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      const ending = await manager.findOneBy(JobEndingEntity, { id });
      if (ending === null) return;
      const locked = await LockedJob.take(manager, ending.jobId);
      // Another process that has it by now may be writing them.
      const own = await manager.delete(JobEndingEntity, { id, attempts: attempt });
      if (!locked?.isActive || own.affected === 0) return;
      await locked.addErrors([`results.json and report.html could not be written: ${message}`]);
      await locked.apply({ kind: 'finished' });
    });
    this.scheduler.nudge();
  }
}
