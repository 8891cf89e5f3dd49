import { randomUUID } from 'node:crypto';
import { AditError, isTerminal } from '@adit/contracts';
import {
  ArtifactEntity,
  ChunkAnalysisEntity,
  ChunkEntity,
  FoldEntity,
  type GroupCommit,
  groupsOf,
  IdentityEntity,
  JobAnalysisEntity,
  JobEndingEntity,
  JobEntity,
  JobEventEntity,
  JobModuleEntity,
  JobSourceEntity,
  listOf,
  returned,
  SegmentEntity,
  SummaryEntity,
  toAditError,
} from '@adit/database';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { INSERT_JOBS, jobInsertion, type MadeJob } from './insert-job.js';
import { exportPrefix, jobPrefix, packsPrefix } from './keys.js';
import { LockedJob } from './locked-job.js';
import type { NewJob } from './new-job.js';
import { keepAfterAll, noteRemovals, removeObjects, settleRemovals, type Removal } from './object-removals.js';
import { enqueue, OutboxRelay } from './outbox.js';
import type { ShownJob, ShownModule } from './present-job.js';
import { eraseUnusedObservations } from './observation-cache.js';
import { incompleteModules, planRetry } from './retry.js';

const log = createLogger('jobs');
/** For so long the process that deletes a job removes its objects, before others may. */
const REMOVED_HERE_SECONDS = 60;
/** Work in flight for a job that is deleted has been given up by then, also by a process that died of it. */
const GIVEN_UP_SECONDS = 60;

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
    // The sweeper does it otherwise: the end of the job has noted it.
    await this.objects.deletePrefix(packsPrefix(jobId)).catch((error: unknown) => {
      log.warn({ jobId, err: error }, 'the packs of a stopped job are removed later');
    });
  }

  /**
   * Runs failed and stopped modules again from where they stood, and completed ones where sources or chunks were lost to
   * them. Throws NOT_FOUND, CONFLICT.
   */
  async retry(workspaceId: string, jobId: string): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      const locked = await this.take(manager, workspaceId, jobId);
      await locked.apply({ kind: 'retry', incomplete: await incompleteModules(manager, jobId) });
      // Whoever still writes the files of its former end finds that they are not wanted.
      await manager.delete(JobEndingEntity, { jobId });
      await planRetry(manager, locked);
      await keepAfterAll(manager, packsPrefix(jobId));
      const { traceparent } = locked.job;
      await enqueue(manager, [{ topic: 'jobs.submitted', key: workspaceId, jobId, traceparent, payload: {} }]);
    });
  }

  /** Aborts the job and removes its results, pictures, artifacts and exports; a tombstone drops what is in flight. */
  async delete(workspaceId: string, jobId: string): Promise<void> {
    const removals = await this.outbox.transaction(async (manager) =>
      erase(manager, (await this.take(manager, workspaceId, jobId)).job),
    );
    await this.remove(jobId, removals);
  }

  /** The same for a job whose time is up; one that is gone, or was retried meanwhile, is left alone. */
  async expire(jobId: string, now: Date): Promise<void> {
    const removals = await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      const expires = locked?.job.timeExpires ?? null;
      return locked === null || locked.isActive || expires === null || expires > now
        ? null
        : erase(manager, locked.job);
    });
    if (removals !== null) await this.remove(jobId, removals);
  }

  /** The job has gone for everybody; what cannot be removed now is removed by the sweeper. */
  private async remove(jobId: string, removals: Removal[]): Promise<void> {
    log.info({ jobId }, 'job deleted');
    const gone = await removeObjects(this.objects, removals);
    try {
      await this.outbox.transaction((manager) => settleRemovals(manager, gone));
    } catch (error) {
      log.warn({ jobId, err: error }, 'what was removed could not be noted; it is removed once more');
    }
  }

  private async take(manager: EntityManager, workspaceId: string, jobId: string): Promise<LockedJob> {
    const locked = await LockedJob.take(manager, jobId);
    if (locked === null || locked.job.workspaceId !== workspaceId) {
      throw new AditError('NOT_FOUND', `There is no job ${jobId}.`);
    }
    return locked;
  }
}

/** Removes the job's rows and notes what they leave in the object store. */
async function erase(manager: EntityManager, job: JobEntity): Promise<Removal[]> {
  await manager.update(JobEntity, { id: job.id }, { timeDeleted: new Date() });
  const unused = await eraseUnusedObservations(manager, job);
  await removeJobRows(manager, job.id);
  const exports = await endExports(manager, job.id);
  // Its work in flight finds out by its next sign of life, and what that has written until then waits for no second round.
  if (!isTerminal(job.state)) await noteRemovals(manager, [jobPrefix(job.id)], { inSeconds: GIVEN_UP_SECONDS });
  const prefixes = [jobPrefix(job.id), ...unused, ...exports.map(exportPrefix)];
  return noteRemovals(manager, prefixes, { inSeconds: REMOVED_HERE_SECONDS, again: true });
}

/** Exports hold the job's results and go with it. Answers their ids. */
async function endExports(manager: EntityManager, jobId: string): Promise<string[]> {
  const rows = returned<{ id: string }>(
    await manager.query('DELETE FROM exports WHERE job_id = $1 RETURNING id', [jobId]),
  );
  const ids = rows.map(({ id }) => id);
  await manager.query('DELETE FROM artifacts WHERE export_id = ANY($1::uuid[])', [ids]);
  return ids;
}

async function removeJobRows(manager: EntityManager, jobId: string): Promise<void> {
  for (const entity of [
    ArtifactEntity,
    ChunkAnalysisEntity,
    ChunkEntity,
    FoldEntity,
    IdentityEntity,
    JobAnalysisEntity,
    JobEndingEntity,
    JobEventEntity,
    JobModuleEntity,
    JobSourceEntity,
    SegmentEntity,
    SummaryEntity,
  ]) {
    await manager.delete(entity, { jobId });
  }
}
