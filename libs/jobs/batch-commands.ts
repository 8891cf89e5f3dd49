import { AditError } from '@adit/contracts';
import { BatchEntity, JobEntity } from '@adit/database';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, In, IsNull, LessThan, type EntityManager } from 'typeorm';
import { JobCommands } from './job-commands.js';

const log = createLogger('jobs');
/** Jobs that are stopped at a time. */
const AT_A_TIME = 8;
/** After so long the process that deleted a batch is taken for dead. */
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
    @Inject(JobCommands) private readonly jobs: JobCommands,
  ) {}

  /**
   * Removes a batch and those in it and aborts their jobs; what has ended keeps its results. Nobody sees the batches any
   * more at once; resolves when the jobs have been stopped. Throws NOT_FOUND.
   */
  async delete(workspaceId: string, batchId: string): Promise<void> {
    const tree = await batchTree(this.db.manager, workspaceId, batchId);
    if (tree.length === 0) throw new AditError('NOT_FOUND', `There is no batch ${batchId}.`);
    const ids = tree.map(({ id }) => id);
    await this.db.manager.update(BatchEntity, { id: In(ids) }, { timeDeleted: new Date() });
    await this.finish(ids);
    log.info({ batchId, batches: ids.length }, 'batch deleted');
  }

  /** Goes on where a process died. */
  async finishDeletions(now: Date): Promise<void> {
    const before = new Date(now.getTime() - ABANDONED_MILLISECONDS);
    const batches = await this.db.manager.findBy(BatchEntity, { timeDeleted: LessThan(before) });
    if (batches.length > 0) await this.finish(batches.map(({ id }) => id));
  }

  private async finish(batchIds: string[]): Promise<void> {
    const where = { batchId: In(batchIds), state: In(['waiting', 'processing']), timeDeleted: IsNull() };
    const jobs = await this.db.manager.find(JobEntity, { where, select: { id: true, workspaceId: true } });
    const rest = jobs.values();
    const stopRest = async (): Promise<void> => {
      for (const { id, workspaceId } of rest) await this.stop(workspaceId, id);
    };
    await Promise.all(Array.from({ length: AT_A_TIME }, stopRest));
    await this.db.manager.update(JobEntity, { batchId: In(batchIds) }, { batchId: null });
    await this.db.manager.delete(BatchEntity, { id: In(batchIds) });
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
