import { AditError } from '@adit/contracts';
import { inTransaction } from '@adit/database';
import { NudgedLoop } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import type { DataSource, EntityManager } from 'typeorm';
import { claimTask, endsTask, failTask, isExhausted, type ClaimedTask, type Failure, type TaskTable } from './tasks.js';

const log = createLogger('aggregator');
const PERIOD_MILLISECONDS = 1000;

interface TaskWork {
  /** Within the transaction that claims a task. */
  claimed?(manager: EntityManager, task: ClaimedTask): Promise<void>;
  /** Does it, and ends it as completed in the database. */
  run(task: ClaimedTask): Promise<void>;
  /**
   * It has failed for good: ends it, and what hangs on it, in one transaction, unless it is another try's by now. Without it
   * the task is noted as failed.
   */
  gaveUp?(task: ClaimedTask, message: string): Promise<void>;
}

/** Works off what requests left to be done, one task of a kind at a time in a process. */
export class TaskLoop {
  private readonly loop: NudgedLoop;

  constructor(
    private readonly db: DataSource,
    private readonly table: TaskTable,
    private readonly work: TaskWork,
  ) {
    this.loop = new NudgedLoop(table, (stopping) => this.workOff(stopping), PERIOD_MILLISECONDS);
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
        const claimed = await claimTask(manager, this.table, new Date());
        if (claimed !== null && !isExhausted(claimed)) await this.work.claimed?.(manager, claimed);
        return claimed;
      });
      if (task === null) return;
      await this.attempt(task);
    }
  }

  /** Does a task that was claimed, and notes how it failed. */
  async attempt(task: ClaimedTask): Promise<void> {
    if (isExhausted(task)) {
      const message = 'Its process ended each time it was tried.';
      return this.failed(task, { message, final: true, blameless: false });
    }
    try {
      await this.work.run(task);
    } catch (error) {
      const { code, message, retryable } = AditError.from(error);
      log.warn({ [this.table]: task.id, attempt: task.attempt, err: error }, 'a task failed');
      const blameless = code === 'UNAVAILABLE';
      const shown = code === 'INTERNAL' ? 'Something went wrong here; the log has the reason.' : message;
      await this.failed(task, { message: shown, final: !retryable, blameless });
    }
  }

  private async failed(task: ClaimedTask, why: Failure): Promise<void> {
    if (this.work.gaveUp !== undefined && endsTask(task, why)) await this.work.gaveUp(task, why.message);
    else await failTask(this.db.manager, this.table, task, why, new Date());
  }
}
