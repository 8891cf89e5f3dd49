import { AditError } from '@adit/contracts';
import { BatchEntity, JobEntity, LIVE_JOB } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, LessThan, type EntityManager } from 'typeorm';
import { JobCommands } from './job-commands.js';
import { enqueue, OutboxRelay, type OutboxMessage } from '@adit/outbox';

const log = createLogger('jobs');
/** Jobs that one message has stopped; what is left is asked for by the next one, so that no message takes long. */
export const ABORTED_BY_ONE_MESSAGE = 200;
/** Of them at the same time. */
const AT_A_TIME = 8;
/** After so long the sweeper helps along. */
const ABANDONED_MILLISECONDS = 60_000;

/** A batch and all below it, each before those in it; empty when it is gone or another workspace's. */
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

/** What a client can do to a batch beyond its row. */
@Injectable()
export class BatchCommands {
  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(JobCommands) private readonly jobs: JobCommands,
  ) {}

  /**
   * Removes a batch and those in it: nobody sees them any more when this resolves. Their jobs are aborted after that, by
   * the message that it sends; what has ended keeps its results. Throws NOT_FOUND.
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

  /** Stops some jobs of a deleted batch and of those that were deleted with it; while there are more, the next message asks. */
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

  /** In case a message was lost; for as long as `shouldContinue` says so, which is asked after some jobs each. */
  async finishDeletions(now: Date, shouldContinue: () => Promise<boolean>): Promise<void> {
    const before = new Date(now.getTime() - ABANDONED_MILLISECONDS);
    const batches = await this.db.manager.findBy(BatchEntity, { timeDeleted: LessThan(before) });
    const ids = batches.map(({ id }) => id);
    while ((await shouldContinue()) && !(await this.finish(ids)));
  }

  /** Stops some of the batches' jobs; removes the batches when none is left. Whether that is so. */
  private async finish(batchIds: string[]): Promise<boolean> {
    if (batchIds.length === 0) return true;
    const jobs = await this.db.manager.find(JobEntity, {
      where: { ...LIVE_JOB, batchId: In(batchIds) },
      select: { id: true, workspaceId: true },
      // Those the scheduler would take next come last of the waiting, so that it takes few; those it has taken, at the end.
      order: { admitted: 'ASC', timeCreated: 'DESC' },
      take: ABORTED_BY_ONE_MESSAGE,
    });
    const rest = jobs.values();
    const stopRest = async (): Promise<void> => {
      for (const { id, workspaceId } of rest) await this.stop(workspaceId, id);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, stopRest));
    if (jobs.length === ABORTED_BY_ONE_MESSAGE) return false;
    await this.db.manager.update(JobEntity, { batchId: In(batchIds) }, { batchId: null });
    await this.db.manager.delete(BatchEntity, { id: In(batchIds) });
    return true;
  }

  private async stop(workspaceId: string, jobId: string): Promise<void> {
    try {
      await this.jobs.stop(workspaceId, jobId);
    } catch (error) {
      // It ended, or was deleted, meanwhile.
      if (!(error instanceof AditError && ['CONFLICT', 'NOT_FOUND'].includes(error.code))) throw error;
    }
  }
}

function deletionOf(batchId: string): OutboxMessage<'batches.deleted'> {
  return { topic: 'batches.deleted', key: batchId, jobId: batchId, payload: {} };
}
