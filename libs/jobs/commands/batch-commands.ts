import { AditError } from '@adit/contracts';
import { BatchEntity, JobEntity, LIVE_JOB } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, LessThan, type EntityManager } from 'typeorm';
import { JobCommands } from './job-commands.js';
import { enqueue, OutboxRelay, type OutboxMessage } from '@adit/outbox';

const log = createLogger('jobs');
/** Jobs that one message stops. The next message stops the rest, so that no message takes long. */
export const ABORTED_BY_ONE_MESSAGE = 200;
/** Jobs stopped at the same time. */
const STOP_CONCURRENCY = 8;
/** Age after which the sweeper resumes a deletion. */
const ABANDONED_MILLISECONDS = 60_000;

/** Returns a batch and all below it, parents first; empty when it is gone or another workspace's. */
export async function batchTree(
  manager: EntityManager,
  workspaceId: string,
  batchId: string,
): Promise<{ id: string; parentId: string | null; name: string }[]> {
  return manager.query(
    `WITH RECURSIVE tree AS (
       SELECT id, parent_id, name, ARRAY[time_created::text, id::text] AS path
         FROM batches WHERE id = $1 AND workspace_id = $2 AND time_deleted IS NULL
       UNION ALL
       SELECT b.id, b.parent_id, b.name, t.path || ARRAY[b.time_created::text, b.id::text]
         FROM batches b JOIN tree t ON b.parent_id = t.id WHERE b.time_deleted IS NULL)
     SELECT id, parent_id AS "parentId", name FROM tree ORDER BY path`,
    [batchId, workspaceId],
  );
}

/** Commands on a batch beyond its row. */
@Injectable()
export class BatchCommands {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(JobCommands) private readonly jobs: JobCommands,
  ) {}

  /**
   * Removes a batch and those in it: nobody finds them when this resolves. The message that it sends aborts their
   * jobs later; jobs that have ended keep their results. Throws NOT_FOUND.
   */
  async delete(workspaceId: string, batchId: string): Promise<void> {
    const count = await this.outbox.transaction(async (manager) => {
      const ids = (await batchTree(manager, workspaceId, batchId)).map(({ id }) => id);
      if (ids.length === 0) throw new AditError('NOT_FOUND', `There is no batch ${batchId}.`);
      await manager.update(BatchEntity, { id: In(ids) }, { timeDeleted: new Date() });
      await enqueue(manager, [deletionOf(batchId)]);
      return ids.length;
    });
    log.info({ batchId, batches: count }, 'batch deleted');
  }

  /**
   * Stops some jobs of a deleted batch and of those deleted with it; while jobs are left, it sends the next message.
   */
  async abort(batchId: string): Promise<void> {
    const rows: { id: string }[] = await this.db.manager.query(
      `WITH RECURSIVE tree AS (
         SELECT id FROM batches WHERE id = $1 AND time_deleted IS NOT NULL
         UNION ALL
         SELECT b.id FROM batches b JOIN tree t ON b.parent_id = t.id WHERE b.time_deleted IS NOT NULL)
       SELECT id FROM tree`,
      [batchId],
    );
    if (await this.finish(rows.map(({ id }) => id))) return;
    await this.outbox.transaction((manager) => enqueue(manager, [deletionOf(batchId)]));
  }

  /**
   * Resumes deletions whose message was lost, for as long as `shouldContinue` returns true; it is asked every few
   * jobs.
   */
  async finishDeletions(now: Date, shouldContinue: () => Promise<boolean>): Promise<void> {
    const before = new Date(now.getTime() - ABANDONED_MILLISECONDS);
    const batches = await this.db.manager.findBy(BatchEntity, { timeDeleted: LessThan(before) });
    const ids = batches.map(({ id }) => id);
    while ((await shouldContinue()) && !(await this.finish(ids)));
  }

  /** Stops some of the batches' jobs, and removes the batches when none is left, which it returns as true. */
  private async finish(batchIds: string[]): Promise<boolean> {
    if (batchIds.length === 0) return true;
    const jobs = await this.db.manager.find(JobEntity, {
      where: { ...LIVE_JOB, batchId: In(batchIds) },
      select: { id: true, workspaceId: true },
      // Waiting jobs that the scheduler would admit next come last, so that it admits few; admitted ones come at the end.
      order: { admitted: 'ASC', timeCreated: 'DESC' },
      take: ABORTED_BY_ONE_MESSAGE,
    });
    const rest = jobs.values();
    const stopRest = async (): Promise<void> => {
      for (const { id, workspaceId } of rest) await this.stop(workspaceId, id);
    };
    await Promise.all(Array.from({ length: STOP_CONCURRENCY }, stopRest));
    if (jobs.length === ABORTED_BY_ONE_MESSAGE) return false;
    await this.db.manager.update(JobEntity, { batchId: In(batchIds) }, { batchId: null });
    await this.db.manager.delete(BatchEntity, { id: In(batchIds) });
    return true;
  }

  private async stop(workspaceId: string, jobId: string): Promise<void> {
    try {
      await this.jobs.stop(workspaceId, jobId);
    } catch (error) {
      // The job ended, or was deleted, meanwhile.
      if (!(error instanceof AditError && ['CONFLICT', 'NOT_FOUND'].includes(error.code))) throw error;
    }
  }
}

function deletionOf(batchId: string): OutboxMessage<'batches.deleted'> {
  return { topic: 'batches.deleted', key: batchId, jobId: batchId, payload: {} };
}
