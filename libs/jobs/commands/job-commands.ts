import { randomUUID } from 'node:crypto';
import { AditError, isTerminal } from '@adit/contracts';
import {
  type Beside,
  type GroupCommit,
  groupsOf,
  JobEndingEntity,
  JobEntity,
  JobErasureEntity,
  listOf,
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
import { keepAfterAll, noteRemovals, removeObjects, settleRemovals, type Removal } from '@adit/object-removals';
import { enqueue, OutboxRelay } from '@adit/outbox';
import type { ShownJob, ShownModule } from '@adit/presentation';
import { incompleteModules, planRetry } from './retry.js';

const log = createLogger('jobs');
/** Jobs that are made ready in one turn of the event loop. */
const INSERTED_AT_ONCE = 100;
/** Of its erasure, when a job is deleted: enough for all but the largest. */
const STEPS_AT_ONCE = 20;
/** Work in flight for a job that is deleted has been given up by then, also by a process that died of it. */
const GIVEN_UP_SECONDS = 60;

/** What a client can do to a job. Every change is one transaction with the messages and events it causes. */
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
   * Writes the job and asks the scheduler to admit it; resolves when that is durable, with the job as it stands then. Jobs
   * that are submitted at the same time are written together; so is that the request of the Idempotency-Key is done. Throws
   * CONFLICT when there is a job of that id, NOT_FOUND when the workspace was erased.
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

  /** Writes all of the jobs, and what `beside` writes, or nothing. Resolves when that is durable. Throws as `submit` does. */
  async submitAll(newJobs: NewJob[], beside: Beside): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      await beside(manager);
      for (let at = 0; at < newJobs.length; at += INSERTED_AT_ONCE) {
        const some = newJobs.slice(at, at + INSERTED_AT_ONCE);
        const texts = some.map((newJob) => jobInsertion(randomUUID(), newJob).text);
        for (const group of groupsOf(texts, (text) => text)) {
          const inserted: InsertedJob[] = await manager.query(INSERT_JOBS, [listOf(group)]);
          inserted.forEach(written);
        }
      }
    });
  }

  /** Ends the job where it stands and keeps its results so far. Throws NOT_FOUND, CONFLICT when it has ended. */
  async stop(workspaceId: string, jobId: string, beside?: Beside): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      await beside?.(manager);
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
  async retry(workspaceId: string, jobId: string, beside?: Beside): Promise<void> {
    await this.outbox.transaction(async (manager) => {
      await beside?.(manager);
      const locked = await this.take(manager, workspaceId, jobId);
      await locked.apply({ kind: 'retry', incomplete: await incompleteModules(manager, jobId) });
      // Whoever still writes the files of its former end finds that they are not wanted.
      await cancelEnding(manager, jobId);
      await planRetry(manager, locked);
      await keepAfterAll(manager, packsPrefix(jobId));
      const { traceparent } = locked.job;
      await enqueue(manager, [{ topic: 'jobs.submitted', key: workspaceId, jobId, traceparent, payload: {} }]);
    });
  }

  /** Aborts the job and removes its results, pictures, artifacts and exports; a tombstone drops what is in flight. */
  async delete(workspaceId: string, jobId: string): Promise<void> {
    const removals = await this.outbox.transaction(async (manager) =>
      bury(manager, (await this.take(manager, workspaceId, jobId)).job),
    );
    await this.eraseBuried(jobId, removals);
  }

  /** The same for a job whose time is up; one that is gone, or was retried meanwhile, is left alone. */
  async expire(jobId: string, now: Date): Promise<void> {
    const removals = await this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, jobId);
      const expires = locked?.job.timeExpires ?? null;
      return locked === null || locked.isActive || expires === null || expires > now ? null : bury(manager, locked.job);
    });
    if (removals !== null) await this.eraseBuried(jobId, removals);
  }

  /** Erases some of what a deleted job left. Whether nothing of it is left; throws UNAVAILABLE. */
  async eraseSome(jobId: string, removals: Removal[] = []): Promise<boolean> {
    let over = false;
    try {
      for (let steps = 0; steps < STEPS_AT_ONCE && !over; steps++) {
        const step = await this.outbox.transaction((manager) => eraseStep(manager, jobId));
        over = step.over;
        removals = [...removals, ...step.removals];
      }
    } finally {
      await this.removeObjects(removals);
    }
    return over;
  }

  /** Erases all that deleted jobs of a workspace left. Throws UNAVAILABLE, and what `checkpoint` throws, which is called before each part. */
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

  /** The job has gone for everybody; what of it cannot be erased now, or is too much, the sweeper erases. */
  private async eraseBuried(jobId: string, removals: Removal[]): Promise<void> {
    log.info({ jobId }, 'job deleted');
    try {
      await this.eraseSome(jobId, removals);
    } catch (error) {
      log.warn({ jobId, err: error }, 'what a deleted job left is erased later');
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
      log.warn({ err: error }, 'what was removed could not be noted; it is removed once more');
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
 * Nobody finds the job and its exports from here on. What that costs under its lock does not grow with the job: its rows, and
 * what is known of its media, go after it, by `eraseSome`.
 */
async function bury(manager: EntityManager, job: JobEntity): Promise<Removal[]> {
  await markDeleted(manager, job.id);
  await noteErasure(manager, job);
  // Whoever writes the files of its end finds that they are not wanted.
  await cancelEnding(manager, job.id);
  // Its work in flight finds out by its next sign of life, and what that has written until then waits for no second round.
  if (!isTerminal(job.state)) await noteRemovals(manager, [jobPrefix(job.id)], { inSeconds: GIVEN_UP_SECONDS });
  return noteRemovals(manager, [jobPrefix(job.id)], { inSeconds: REMOVED_HERE_SECONDS, again: true });
}
