import { randomUUID } from 'node:crypto';
import { AditError } from '@adit/contracts';
import {
  ArtifactEntity,
  ChunkAnalysisEntity,
  ChunkEntity,
  FoldEntity,
  type GroupCommit,
  groupsOf,
  IdentityEntity,
  JobAnalysisEntity,
  JobEntity,
  JobEventEntity,
  JobModuleEntity,
  JobSourceEntity,
  listOf,
  SegmentEntity,
  SummaryEntity,
  toAditError,
} from '@adit/database';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { INSERT_JOBS, jobInsertion, type MadeJob } from './insert-job.js';
import { exportPrefix, jobPrefix } from './keys.js';
import { LockedJob } from './locked-job.js';
import type { NewJob } from './new-job.js';
import { enqueue, OutboxRelay } from './outbox.js';
import type { ShownJob, ShownModule } from './present-job.js';
import { eraseUnusedObservations } from './observation-cache.js';

const log = createLogger('jobs');

/** What a client can do to a job. Every change is one transaction with the messages and events it causes. */
@Injectable()
export class JobCommands {
  private readonly submissions: GroupCommit<MadeJob>;

  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {
    this.submissions = outbox.grouped(INSERT_JOBS);
  }

  /**
   * Writes the job and asks the scheduler to admit it; resolves when that is durable, with the job as it stands then. Jobs
   * that are submitted at the same time are written together. Throws CONFLICT when there is a job of that id.
   */
  async submit(newJob: NewJob, id: string = randomUUID()): Promise<{ job: ShownJob; modules: ShownModule[] }> {
    const { text, job, modules } = jobInsertion(id, newJob);
    const made = await this.submissions.write({ id, text }).catch((error: unknown) => {
      throw toAditError(error);
    });
    return { job: { ...job, ...made }, modules };
  }

  /** Writes all of the jobs, and what `beside` writes, or nothing. Resolves when that is durable. */
  async submitAll(newJobs: NewJob[], beside: (manager: EntityManager) => Promise<void>): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      await beside(manager);
      const texts = newJobs.map((newJob) => jobInsertion(randomUUID(), newJob).text);
      for (const group of groupsOf(texts, (text) => text)) await manager.query(INSERT_JOBS, [listOf(group)]);
    });
  }

  /** Ends the job where it stands and keeps its results so far. Throws NOT_FOUND, CONFLICT when it has ended. */
  async stop(workspaceId: string, jobId: string): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      await (await this.take(manager, workspaceId, jobId)).apply({ kind: 'stop' });
    });
    await this.objects.deletePrefix(`${jobPrefix(jobId)}packs/`);
  }

  /** Runs failed and stopped modules again from where they stood. Throws NOT_FOUND, CONFLICT. */
  async retry(workspaceId: string, jobId: string): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      const locked = await this.take(manager, workspaceId, jobId);
      await locked.apply({ kind: 'retry' });
      await resetUnfinishedWork(manager, locked);
      const { traceparent } = locked.job;
      await enqueue(manager, [{ topic: 'jobs.submitted', key: workspaceId, jobId, traceparent, payload: {} }]);
    });
  }

  /** Aborts the job and removes its results, pictures, artifacts and exports; a tombstone drops what is in flight. */
  async delete(workspaceId: string, jobId: string): Promise<void> {
    const [unused, exports] = await this.outbox.transaction(async (manager) => {
      const { job } = await this.take(manager, workspaceId, jobId);
      await manager.update(JobEntity, { id: jobId }, { timeDeleted: new Date() });
      const unusedKeys = await eraseUnusedObservations(manager, job);
      await removeJobRows(manager, jobId);
      return [unusedKeys, await endExports(manager, jobId)] as const;
    });
    await this.objects.deletePrefix(jobPrefix(jobId));
    for (const prefix of [...unused, ...exports.map(exportPrefix)]) await this.objects.deletePrefix(prefix);
    log.info({ jobId }, 'job deleted');
  }

  private async take(manager: EntityManager, workspaceId: string, jobId: string): Promise<LockedJob> {
    const locked = await LockedJob.take(manager, jobId);
    if (locked === null || locked.job.workspaceId !== workspaceId) {
      throw new AditError('NOT_FOUND', `There is no job ${jobId}.`);
    }
    return locked;
  }
}

/** Gives failed work its tries back; what is done stays done. */
async function resetUnfinishedWork(manager: EntityManager, locked: LockedJob): Promise<void> {
  const jobId = locked.job.id;
  // Images that were refused lie inside chunks that are folded already; a film that was refused has no chunks yet.
  await manager.query(
    `UPDATE job_sources SET state = 'waiting', error = NULL, attempts = 0, lease_until = NULL
      WHERE job_id = $1 AND state IN ('failed', 'requested') AND NOT EXISTS (
        SELECT 1 FROM chunks c WHERE c.job_id = $1 AND index >= c.source_start AND index < c.source_end)`,
    [jobId],
  );
  await manager.update(
    ChunkAnalysisEntity,
    { jobId, state: In(['failed', 'requested']) },
    { state: 'waiting', attempts: 0, error: null, leaseUntil: null },
  );
  await manager.query(
    `UPDATE chunks SET state = 'planned', attempts = 0, lease_until = NULL, packs = NULL
      WHERE job_id = $1 AND EXISTS (SELECT 1 FROM chunk_analyses a WHERE a.chunk_id = chunks.id AND a.state = 'waiting')`,
    [jobId],
  );
}

/** The files of exports hold the job's results and go with it. Answers the ids of the exports. */
async function endExports(manager: EntityManager, jobId: string): Promise<string[]> {
  await manager.query(
    `UPDATE exports SET state = 'failed', error_msg = 'The job was deleted.'
      WHERE job_id = $1 AND state IN ('waiting', 'processing')`,
    [jobId],
  );
  await manager.query(`DELETE FROM artifacts USING exports e WHERE export_id = e.id AND e.job_id = $1`, [jobId]);
  const rows: { id: string }[] = await manager.query(`SELECT id FROM exports WHERE job_id = $1`, [jobId]);
  return rows.map(({ id }) => id);
}

async function removeJobRows(manager: EntityManager, jobId: string): Promise<void> {
  for (const entity of [
    ArtifactEntity,
    ChunkAnalysisEntity,
    ChunkEntity,
    FoldEntity,
    IdentityEntity,
    JobAnalysisEntity,
    JobEventEntity,
    JobModuleEntity,
    JobSourceEntity,
    SegmentEntity,
    SummaryEntity,
  ]) {
    await manager.delete(entity, { jobId });
  }
}
