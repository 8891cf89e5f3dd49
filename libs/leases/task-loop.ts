import { AditError } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { BackgroundService } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { keepingLease } from './lease.js';
import { releaseRow, updateHeld, type ClaimedTask, type LeasedTable } from './leased-rows.js';
import { afterFailure, MAX_ATTEMPTS } from './settings.js';
import { othersWait, FairQueue } from './fair-queue.js';

const log = createLogger('tasks');
const PERIOD_MILLISECONDS = 1000;
/** After so long without a sign of life another process takes a task over. */
export const TASK_LEASE_SECONDS = 45;
/** Until a task whose attempt failed is tried again. */
const PAUSE_SECONDS = 5;
const DIED = 'Its process ended each time it was tried.';

/** A service that works off what requests left to be done, one task of a table at a time in a process; workspaces take turns. */
export abstract class TaskLoop extends BackgroundService {
  private readonly turns: FairQueue;

  constructor(
    protected readonly db: DataSource,
    private readonly tasks: LeasedTable,
  ) {
    super(tasks.name, PERIOD_MILLISECONDS);
    this.turns = new FairQueue(tasks);
  }

  /** Does it, and ends it as completed in the database where it is still this attempt's. Its lease is kept alive meanwhile. */
  protected abstract run(task: ClaimedTask): Promise<void>;

  /** Within the transaction that claims a task. */
  protected claimed?(manager: EntityManager, task: ClaimedTask): Promise<void>;

  /**
   * It has failed for good: ends it, and what hangs on it, in one transaction, unless it is another attempt's by now. The task
   * is noted as failed where a service says nothing else.
   */
  protected async gaveUp(task: ClaimedTask, message: string): Promise<void> {
    await updateHeld(this.db, task, `state = 'failed', lease_until = NULL, error_msg = $1`, [message]);
  }

  /** Whether a task of another workspace waits that nobody is at. */
  protected othersWait(workspaceId: string): Promise<boolean> {
    return othersWait(this.db.manager, this.tasks, workspaceId);
  }

  /** Resolves when all that waits now is done. */
  override idle(): Promise<void> {
    this.nudge();
    return super.idle();
  }

  protected async round(): Promise<void> {
    while (!this.stopping) {
      const task = await this.turns.next(this.db.manager, () =>
        inTransaction(this.db, async (manager) => {
          const claimed = await this.turns.claim(manager, TASK_LEASE_SECONDS);
          if (claimed !== null && claimed.attempt <= MAX_ATTEMPTS) await this.claimed?.(manager, claimed);
          return claimed;
        }),
      );
      if (task === null) return;
      await this.attempt(task);
    }
  }

  /** Does a task that was claimed, and notes how it failed. */
  protected async attempt(task: ClaimedTask): Promise<void> {
    if (task.attempt > MAX_ATTEMPTS) return this.gaveUp(task, DIED);
    try {
      await this.alive(task, () => this.run(task));
    } catch (error) {
      const problem = AditError.from(error);
      log.warn({ [this.tasks.name]: task.key.id, attempt: task.attempt, err: error }, 'a task failed');
      const next = afterFailure(problem, { attempt: task.attempt, maxAttempts: MAX_ATTEMPTS });
      const internal = problem.code === 'INTERNAL';
      if (next !== 'given-up') await releaseRow(this.db, task, PAUSE_SECONDS, { blamed: next === 'again' });
      else await this.gaveUp(task, internal ? 'Something went wrong here; the log has the reason.' : problem.message);
    }
  }

  /** Keeps a task's lease alive while something is done, or waited for. */
  protected alive<T>(task: ClaimedTask, work: () => Promise<T>): Promise<T> {
    return keepingLease(this.db, task, { seconds: TASK_LEASE_SECONDS, kind: this.tasks.name }, work);
  }
}
