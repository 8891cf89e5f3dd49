/** Statements that write the table `job_endings`: the process that ends a job, and whether the end is still wanted. */
import { randomUUID } from 'node:crypto';
import { JobEndingEntity } from '@adit/database';
import { JOB_ENDINGS, TASK_LEASE_SECONDS, type ClaimedTask } from '@adit/leases';
import type { DataSource, EntityManager } from 'typeorm';

/** Claims the end of a job for this process; null when it is claimed already. */
export async function claimEnding(
  manager: EntityManager,
  job: { id: string; workspaceId: string },
): Promise<ClaimedTask | null> {
  const id = randomUUID();
  const claimed: unknown[] = await manager.query(
    `INSERT INTO job_endings (id, workspace_id, job_id, state, attempts, lease_until)
     VALUES ($1, $2, $3, 'processing', 1, now() + make_interval(secs => $4)) ON CONFLICT (job_id) DO NOTHING RETURNING id`,
    [id, job.workspaceId, job.id, TASK_LEASE_SECONDS],
  );
  return claimed.length === 0 ? null : { rows: JOB_ENDINGS, key: { id }, attempt: 1, token: 0 };
}

/** Completes the attempt. True when it was still the one to end the job. */
export async function closeEnding(manager: EntityManager, { key, attempt }: ClaimedTask): Promise<boolean> {
  const { affected } = await manager.delete(JobEndingEntity, { id: key.id, attempts: attempt });
  return affected !== 0;
}

/** Cancels the end of a job that goes on or is gone: an attempt at its end finds that its files are not wanted. */
export async function cancelEnding(manager: EntityManager, jobId: string): Promise<void> {
  await manager.delete(JobEndingEntity, { jobId });
}

/**
 * Removes failed endings, which older builds left with their jobs: such a job is handled like any other stuck job.
 * Returns their number.
 */
export async function forgetFailedEndings(db: DataSource): Promise<number> {
  return (await db.manager.delete(JobEndingEntity, { state: 'failed' })).affected ?? 0;
}

/**
 * Has the files of these jobs written anew, without counting a failure: an attempt in progress has lost its claim.
 * Waits for an end that is being committed.
 */
export async function restartEndings(manager: EntityManager, jobs: readonly string[]): Promise<void> {
  await manager.query(
    `UPDATE job_endings SET id = gen_random_uuid(), attempts = greatest(attempts - 1, 0), lease_until = now()
      WHERE job_id = ANY($1::uuid[]) AND state = 'processing'`,
    [jobs],
  );
}
