import { AditError, type ErrorCode } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { BackgroundService } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { DueWork } from './due-work.js';
import { keepingLease } from './lease.js';
import { releaseRow, updateHeld, type ClaimedTask, type LeasedTable } from './leased-rows.js';
import { afterFailure, MAX_ATTEMPTS } from './settings.js';
import { othersWait, FairTaskQueue } from './fair-task-queue.js';

const log = createLogger('tasks');
/** Tasks are watched for (`DueWork`); this is for a task that was seen and taken by a process that failed. */
const PERIOD_MILLISECONDS = 60_000;
/** Time without heartbeat after which another process takes a task over. */
export const TASK_LEASE_SECONDS = 45;
/** Delay before a failed task is tried again. */
const PAUSE_SECONDS = 5;
const DIED = 'Its process ended each time it was tried.';

/** A service that processes tasks of a table, one at a time in a process; a fair queue shares it between workspaces. */
export abstract class TaskLoop extends BackgroundService {
  private readonly queue: FairTaskQueue;
  private unwatch: (() => Promise<void>) | null = null;

  constructor(
    protected readonly db: DataSource,
    private readonly tasks: LeasedTable,
  ) {
    super(tasks.name, PERIOD_MILLISECONDS);
    this.queue = new FairTaskQueue(tasks);
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    if (this.stopping) return;
    const { name, open, free, live } = this.tasks;
    const due = `(SELECT true FROM ${name} WHERE ${open} AND ${free} AND ${live} LIMIT 1) IS NOT NULL`;
    this.unwatch = DueWork.of(this.db).watch({ name: this.watchedAs, due, found: () => this.nudge() });
  }

  /** Name under which it shares the asking: that of all who find the same tasks. */
  protected get watchedAs(): string {
    return this.tasks.name;
  }

  override async onApplicationShutdown(): Promise<void> {
    await Promise.all([super.onApplicationShutdown(), this.unwatch?.()]);
  }

  /** Runs the task, and completes it in the database while this attempt holds it. Its lease is renewed meanwhile. */
  protected abstract run(task: ClaimedTask): Promise<void>;

  /** Hook within the transaction that claims a task. */
  protected claimed?(manager: EntityManager, task: ClaimedTask): Promise<void>;

  /**
   * Ends a task that has failed for good, with its dependents, in one transaction, unless another attempt holds it by
   * now. By default the task is marked as failed.
   */
  protected async gaveUp(task: ClaimedTask, message: string, _code: ErrorCode): Promise<void> {
    await updateHeld(this.db, task, `state = 'failed', lease_until = NULL, error_msg = $1`, [message]);
  }

  /** True when a free task of another workspace waits. */
  protected othersWait(workspaceId: string): Promise<boolean> {
    return othersWait(this.db.manager, this.tasks, workspaceId);
  }

  /** Resolves when all waiting tasks are done. */
  override idle(): Promise<void> {
    this.nudge();
    return super.idle();
  }

  protected async round(): Promise<void> {
    while (!this.stopping) {
      const task = await this.queue.next(this.db.manager, () => this.claimNext());
      if (task === null) return;
      await this.attempt(task);
    }
  }

  /** One statement claims; what a subclass does with it needs a transaction. */
  private claimNext(): Promise<ClaimedTask | null> {
    if (this.claimed === undefined) return this.queue.claim(this.db, TASK_LEASE_SECONDS);
    return inTransaction(this.db, async (manager) => {
      const claimed = await this.queue.claim(manager, TASK_LEASE_SECONDS);
      if (claimed !== null && claimed.attempt <= MAX_ATTEMPTS) await this.claimed?.(manager, claimed);
      return claimed;
    });
  }

  /** Runs a claimed task, and records a failure. */
  protected async attempt(task: ClaimedTask): Promise<void> {
    if (task.attempt > MAX_ATTEMPTS) return this.gaveUp(task, DIED, 'LIMIT_EXCEEDED');
    try {
      await this.alive(task, () => this.run(task));
    } catch (error) {
      const problem = AditError.from(error);
      log.warn({ [this.tasks.name]: task.key.id, attempt: task.attempt, err: error }, 'a task failed');
      const next = afterFailure(problem, { attempt: task.attempt, maxAttempts: MAX_ATTEMPTS });
      const internal = problem.code === 'INTERNAL';
      if (next !== 'given-up') await releaseRow(this.db, task, PAUSE_SECONDS, { blamed: next === 'again' });
      else {
        const message = internal ? 'Something went wrong here; the log has the reason.' : problem.message;
        await this.gaveUp(task, message, problem.code);
      }
    }
  }

  /** Renews a task's lease while work runs, or is waited for. */
  protected alive<T>(task: ClaimedTask, work: () => Promise<T>): Promise<T> {
    return keepingLease(this.db, task, { seconds: TASK_LEASE_SECONDS, kind: this.tasks.name }, work);
  }
}
