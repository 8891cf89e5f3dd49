import { AditError } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { NudgedLoop } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { keepingLease } from './lease.js';
import { claimOldest, releaseRow, updateHeld, type Held, type LeasedTable } from './leased-rows.js';
import { afterFailure, MAX_ATTEMPTS } from './settings.js';

const log = createLogger('tasks');
const PERIOD_MILLISECONDS = 1000;
/** After so long without a sign of life another process takes a task over. */
export const TASK_LEASE_SECONDS = 45;
/** Until a task whose attempt failed is tried again. */
const PAUSE_SECONDS = 5;
const DIED = 'Its process ended each time it was tried.';

/** A row of a table whose key is `id`, of one that this process has claimed. */
export interface ClaimedTask extends Held {
  key: { id: string };
}

interface TaskWork {
  /** Within the transaction that claims a task. */
  claimed?(manager: EntityManager, task: ClaimedTask): Promise<void>;
  /** Does it, and ends it as completed in the database where it is still this attempt's. Its lease is kept alive meanwhile. */
  run(task: ClaimedTask): Promise<void>;
  /**
   * It has failed for good: ends it, and what hangs on it, in one transaction, unless it is another attempt's by now. Without
   * it the task is noted as failed.
   */
  gaveUp?(task: ClaimedTask, message: string): Promise<void>;
}

/** Works off what requests left to be done, one task of a table at a time in a process. */
export class TaskLoop {
  private readonly loop: NudgedLoop;

  constructor(
    private readonly db: DataSource,
    private readonly tasks: LeasedTable,
    private readonly work: TaskWork,
  ) {
    this.loop = new NudgedLoop(tasks.name, (stopping) => this.workOff(stopping), PERIOD_MILLISECONDS);
  }

  start(): void {
    this.loop.start();
  }

  /** Waits for the task under way. */
  async stop(): Promise<void> {
    await this.loop.stop();
  }

  /** Resolves when all that waits now is done. */
  async idle(): Promise<void> {
    this.loop.nudge();
    await this.loop.idle();
  }

  private async workOff(stopping: () => boolean): Promise<void> {
    while (!stopping()) {
      const task = await inTransaction(this.db, async (manager) => {
        const claimed = (await claimOldest(manager, this.tasks, TASK_LEASE_SECONDS)) as ClaimedTask | null;
        if (claimed !== null && claimed.attempt <= MAX_ATTEMPTS) await this.work.claimed?.(manager, claimed);
        return claimed;
      });
      if (task === null) return;
      await this.attempt(task);
    }
  }

  /** Does a task that was claimed, and notes how it failed. */
  async attempt(task: ClaimedTask): Promise<void> {
    if (task.attempt > MAX_ATTEMPTS) return this.giveUp(task, DIED);
    try {
      await this.alive(task, () => this.work.run(task));
    } catch (error) {
      const problem = AditError.from(error);
      log.warn({ [this.tasks.name]: task.key.id, attempt: task.attempt, err: error }, 'a task failed');
      const next = afterFailure(problem, { attempt: task.attempt, maxAttempts: MAX_ATTEMPTS });
      const internal = problem.code === 'INTERNAL';
      if (next !== 'given-up') await releaseRow(this.db, task, PAUSE_SECONDS, { blamed: next === 'again' });
      else await this.giveUp(task, internal ? 'Something went wrong here; the log has the reason.' : problem.message);
    }
  }

  /** Keeps a task's lease alive while something is done, or waited for. */
  alive<T>(task: ClaimedTask, work: () => Promise<T>): Promise<T> {
    return keepingLease(this.db, task, { seconds: TASK_LEASE_SECONDS, kind: this.tasks.name }, work);
  }

  private async giveUp(task: ClaimedTask, message: string): Promise<void> {
    if (this.work.gaveUp !== undefined) return this.work.gaveUp(task, message);
    await updateHeld(this.db, task, `state = 'failed', lease_until = NULL, error_msg = $1`, [message]);
  }
}
