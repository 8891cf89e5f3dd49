import { randomUUID } from 'node:crypto';
import { AditError, isTerminal } from '@adit/contracts';
import {
  type Beside,
  type GroupCommit,
  groupsOf,
  heldBack,
  type JobEntity,
  JobErasureEntity,
  listOf,
  lockHeldTags,
  toAditError,
} from '@adit/database';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { eraseStep, noteErasure, REMOVED_HERE_SECONDS, ROWS_OF_STEP } from '../erasure/erasures.js';
import { INSERT_JOBS, jobInsertion, written, type InsertedJob } from './insert-job.js';
import { jobPrefix, packsPrefix } from '../keys.js';
import { cancelEnding } from '../state/job-endings.js';
import { markDeleted } from '../state/job-remains.js';
import { LockedJob } from '../state/locked-job.js';
import type { NewJob } from './new-job.js';
import { refuseFormerPart } from './next-part.js';
import { keepAfterAll, noteRemovals, removeObjects, settleRemovals, type Removal } from '@adit/object-removals';
import { enqueue, OutboxRelay } from '@adit/outbox';
import type { ShownJob, ShownModule } from '@adit/presentation';
import { stopStream } from '../chunks/live-chunks.js';
import { incompleteModules, planRetry } from './retry.js';

const log = createLogger('jobs');
/** Jobs per INSERT, so that no slice blocks the event loop for long. */
const JOBS_PER_INSERT = 100;
/** Erasure steps that a deletion runs itself: enough for all but the largest jobs. */
const MAX_INLINE_STEPS = 20;
/** Time after which work in flight for a deleted job has been given up, also by a process that crashed. */
const GIVEN_UP_SECONDS = 60;

/** Commands on a job. Every change is one transaction with its messages and events. */
@Injectable()
export class JobCommands {
  private readonly submissions: GroupCommit<InsertedJob>;

  constructor(
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
  ) {
    this.submissions = outbox.grouped(INSERT_JOBS);
  }

  /**
   * Writes the job and asks the scheduler to admit it. Resolves when that is durable, with the job as stored. Jobs
   * that are submitted at the same time are written together, with the completion of their Idempotency-Key. Throws
   * CONFLICT when the id exists, NOT_FOUND when the workspace was erased.
   */
  async submit(
    newJob: NewJob,
    id: string = randomUUID(),
    idempotencyKey: string | null = null,
  ): Promise<{ job: ShownJob; modules: ShownModule[] }> {
    const { text, job, modules } = jobInsertion(id, newJob, idempotencyKey);
    const made = await this.submissions.write({ id, text }).catch((error: unknown) => {
      throw toAditError(error);
    });
    return { job: { ...job, ...written(made) }, modules };
  }

  /**
   * Writes all of the jobs and the rows of `beside`, or nothing. Resolves when that is durable. Throws as `submit`
   * does.
   */
  async submitAll(newJobs: NewJob[], beside: Beside): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      await beside(manager);
      for (let at = 0; at < newJobs.length; at += JOBS_PER_INSERT) {
        const some = newJobs.slice(at, at + JOBS_PER_INSERT);
        const texts = some.map((newJob) => jobInsertion(randomUUID(), newJob).text);
        for (const group of groupsOf(texts, (text) => text)) {
          const inserted: InsertedJob[] = await manager.query(INSERT_JOBS, [listOf(group)]);
          inserted.forEach(written);
        }
      }
    });
  }

  /**
   * Stops the job and keeps its results so far. A live stream ends here; its job is stopped when its last chunks are
   * folded. Throws NOT_FOUND, and CONFLICT when it has ended, or when a later part goes on with its stream.
   */
  async stop(workspaceId: string, jobId: string, beside?: Beside): Promise<void> {
    const isStopped = await this.outbox.transaction(async (manager) => {
      await beside?.(manager);
      const locked = await this.take(manager, workspaceId, jobId);
      if (locked.job.nextPart !== null) await refuseFormerPart(manager, jobId);
      if (await stopStream(manager, locked)) return false;
      await locked.apply({ kind: 'stop' });
      return true;
    });
    if (!isStopped) return;
    // On failure the sweeper does it: the end of the job has recorded it.
    await this.objects.deletePrefix(packsPrefix(jobId)).catch((error: unknown) => {
      log.warn({ jobId, err: error }, 'packs of a stopped job were not removed; the sweeper removes them');
    });
  }

  /**
   * Retries failed and stopped modules from where they stopped, and completed ones that lost sources or chunks.
   * Throws NOT_FOUND, CONFLICT.
   */
  async retry(workspaceId: string, jobId: string, beside?: Beside): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      await beside?.(manager);
      const locked = await this.take(manager, workspaceId, jobId);
      await locked.apply({ kind: 'retry', incomplete: await incompleteModules(manager, locked.job) });
      // A process that still writes the files of the former end notices that they are not wanted.
      await cancelEnding(manager, jobId);
      await planRetry(manager, locked);
      await keepAfterAll(manager, packsPrefix(jobId));
      const { traceparent } = locked.job;
      await enqueue(manager, [{ topic: 'jobs.submitted', key: jobId, jobId, traceparent, workspaceId, payload: {} }]);
    });
  }

  /**
   * Aborts the job and removes its results, pictures, artifacts and exports; a tombstone drops what is in flight. Throws
   * NOT_FOUND, and CONFLICT for a job under a legal hold.
   */
  async delete(workspaceId: string, jobId: string): Promise<void> {
    const removals = await this.outbox.transaction(async (manager) => {
      const { job } = await this.take(manager, workspaceId, jobId);
      if ((await lockHeldTags(manager, workspaceId)).has(job.tag)) throw heldBack(`The job ${jobId}`, job.tag);
      return tombstone(manager, job);
    });
    await this.eraseTombstoned(jobId, removals);
  }

  /** Deletes a job whose ttl is over; a job that is gone, or was retried meanwhile, is left alone. */
  expire(jobId: string, now: Date): Promise<boolean> {
    return this.deleteDue(jobId, ({ timeExpires }) => timeExpires !== null && timeExpires <= now);
  }

  /** Deletes a job that ended before a time; a job that is gone, or was retried meanwhile, is left alone. */
  expireEndedBefore(jobId: string, before: Date): Promise<boolean> {
    return this.deleteDue(jobId, ({ timeCompleted }) => timeCompleted !== null && timeCompleted < before);
  }

  /** Deletes a job that looked for an export which has ended, whatever the job does; no legal hold is meant for it. */
  async deleteLook(jobId: string): Promise<void> {
    const removals = await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      return locked === null || locked.job.exportId === null ? null : tombstone(manager, locked.job);
    });
    if (removals !== null) await this.eraseTombstoned(jobId, removals);
  }

  /** Returns whether the job was deleted. One under a legal hold is not, and is looked at again later. */
  private async deleteDue(jobId: string, isDue: (job: JobEntity) => boolean): Promise<boolean> {
    const removals = await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      if (locked === null || locked.isActive || !isDue(locked.job)) return null;
      const { job } = locked;
      return (await lockHeldTags(manager, job.workspaceId)).has(job.tag) ? null : tombstone(manager, job);
    });
    if (removals === null) return false;
    await this.eraseTombstoned(jobId, removals);
    return true;
  }

  /** Erases some of the remains of a deleted job. True when nothing is left; throws UNAVAILABLE. */
  async eraseSome(jobId: string, removals: Removal[] = []): Promise<boolean> {
    let over = false;
    try {
      for (let steps = 0; steps < MAX_INLINE_STEPS && !over; steps++) {
        const step = await this.outbox.transaction((manager) => eraseStep(manager, jobId));
        over = step.over;
        removals = [...removals, ...step.removals];
      }
    } finally {
      await this.removeObjects(removals);
    }
    return over;
  }

  /**
   * Erases all remains of a workspace's deleted jobs. Throws UNAVAILABLE, and the errors of `checkpoint`, which is
   * called before each part.
   */
  async eraseAll(workspaceId: string, checkpoint: () => Promise<void>): Promise<void> {
    for (;;) {
      const found = await this.outbox.transaction((manager) =>
        manager.find(JobErasureEntity, { where: { workspaceId }, take: 100 }),
      );
      if (found.length === 0) return;
      for (const { jobId } of found) {
        do await checkpoint();
        while (!(await this.eraseSome(jobId)));
      }
    }
  }

  /** Erases what it can at once of a job that nobody finds any more; the sweeper erases the rest. */
  private async eraseTombstoned(jobId: string, removals: Removal[]): Promise<void> {
    log.info({ jobId }, 'job deleted');
    try {
      await this.eraseSome(jobId, removals);
    } catch (error) {
      log.warn({ jobId, err: error }, 'a deleted job was not erased completely; the sweeper continues');
    }
  }

  private async removeObjects(removals: Removal[]): Promise<void> {
    if (removals.length === 0) return;
    const { gone } = await removeObjects(this.objects, removals);
    try {
      for (let at = 0; at < gone.length; at += ROWS_OF_STEP) {
        const some = gone.slice(at, at + ROWS_OF_STEP);
        await this.outbox.transaction((manager) => settleRemovals(manager, some));
      }
    } catch (error) {
      log.warn({ err: error }, 'the removal could not be recorded; it is repeated');
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

/**
 * Marks the job as deleted: nobody finds it and its exports from here on. The time under its lock does not grow with
 * the job: `eraseSome` removes its rows and the cached media later.
 */
async function tombstone(manager: EntityManager, job: JobEntity): Promise<Removal[]> {
  await markDeleted(manager, job.id);
  await noteErasure(manager, job);
  // A process that writes the files of the job's end notices that they are not wanted.
  await cancelEnding(manager, job.id);
  // Work in flight notices at its next heartbeat; objects that it has written by then are removed in the same round.
  if (!isTerminal(job.state)) await noteRemovals(manager, [jobPrefix(job.id)], { inSeconds: GIVEN_UP_SECONDS });
  return noteRemovals(manager, [jobPrefix(job.id)], { inSeconds: REMOVED_HERE_SECONDS, again: true });
}
