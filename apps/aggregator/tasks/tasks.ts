import type { EntityManager } from 'typeorm';

export type TaskTable = 'exports' | 'reports' | 'job_endings';

/** After so long without a sign of life another process takes a task over. */
export const TASK_LEASE_MILLISECONDS: Record<TaskTable, number> = {
  exports: 5 * 60_000,
  reports: 5 * 60_000,
  // A client waits for it.
  job_endings: 45_000,
};
const MOST_TRIES = 3;
/** Until a task whose try failed is tried again. */
const PAUSE_MILLISECONDS = 5_000;

/** What of a task's table is still wanted: exports of a job that was deleted go after it, in steps. */
const WANTED: Record<TaskTable, string> = {
  exports: 'NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = exports.job_id AND j.time_deleted IS NOT NULL)',
  reports: 'true',
  job_endings: 'true',
};

export interface ClaimedTask {
  id: string;
  /** The number of this try, from 1, counted before it begins: one that kills its process counts too. */
  attempt: number;
}

/** Takes the oldest task that waits, or whose process died; null when there is none. */
export async function claimTask(manager: EntityManager, table: TaskTable, now: Date): Promise<ClaimedTask | null> {
  const [row]: ClaimedTask[] = await manager.query(
    `WITH taken AS (
       UPDATE ${table} SET state = 'processing', attempts = attempts + 1, lease_until = $2
        WHERE id = (SELECT id FROM ${table}
                     WHERE (state = 'waiting' OR (state = 'processing' AND lease_until <= $1)) AND ${WANTED[table]}
                     ORDER BY time_created LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING id, attempts AS attempt)
     SELECT * FROM taken`,
    [now, leaseUntil(table, now)],
  );
  return row ?? null;
}

/** Whether the task is still this try's to do; renews its lease. */
export async function renewTask(manager: EntityManager, table: TaskTable, task: ClaimedTask, now: Date) {
  const rows: unknown[] = await manager.query(
    `WITH renewed AS (
       UPDATE ${table} SET lease_until = $3
        WHERE id = $1 AND attempts = $2 AND state = 'processing' AND ${WANTED[table]} RETURNING 1)
     SELECT * FROM renewed`,
    [task.id, task.attempt, leaseUntil(table, now)],
  );
  return rows.length > 0;
}

/** Why a try failed: `final` when another would fail too, `blameless` when a dependency was away: that try does not count. */
export interface Failure {
  message: string;
  final: boolean;
  blameless: boolean;
}

/** Whether no other try follows one that failed so. */
export function endsTask({ attempt }: ClaimedTask, { final, blameless }: Failure): boolean {
  return final || (attempt >= MOST_TRIES && !blameless);
}

/** After a try that failed: another one in a while, or the end with the reason. Nothing of a task that another try has. */
export async function failTask(
  manager: EntityManager,
  table: TaskTable,
  task: ClaimedTask,
  why: Failure,
  now: Date,
): Promise<void> {
  const ends = endsTask(task, why);
  await manager.query(
    `UPDATE ${table} SET state = $3, error_msg = $4, lease_until = $5, attempts = attempts - $6
      WHERE id = $1 AND attempts = $2 AND state = 'processing'`,
    [
      task.id,
      task.attempt,
      ends ? 'failed' : 'processing',
      ends ? why.message : null,
      ends ? null : new Date(now.getTime() + PAUSE_MILLISECONDS),
      why.blameless ? 1 : 0,
    ],
  );
}

/** Whether so many tries died without a word that there shall be no other. */
export function isExhausted({ attempt }: ClaimedTask): boolean {
  return attempt > MOST_TRIES;
}

function leaseUntil(table: TaskTable, now: Date): Date {
  return new Date(now.getTime() + TASK_LEASE_MILLISECONDS[table]);
}
