import { inTransaction, rowsOfJob } from '@adit/database';
import type { DataSource, EntityManager } from 'typeorm';

/** Events that are given their numbers, or taken away, by one transaction. */
const STEP = 1_000;

/** One event in the stream of its workspace. */
export interface WorkspaceEvent {
  number: string;
  event: string;
  timeCreated: Date;
  jobId: string | null;
  data: Record<string, unknown>;
}

/** Where a stream ends, and up to where it is kept no more. */
export interface StreamHead {
  last: bigint;
  forgotten: bigint;
}

interface NewEvent {
  workspaceId: string;
  jobId: string | null;
  subjectId: string;
  event: string;
  data: Record<string, unknown>;
}

/** SQL: keeps the events of `$n`, JSON of them, for the streams of their workspaces. */
export function keepEvents(parameter: string): string {
  return `INSERT INTO workspace_events (workspace_id, job_id, subject_id, event, data)
          SELECT v."workspaceId", v."jobId", v."subjectId", v.event, v.data
            FROM jsonb_to_recordset(${parameter}::jsonb)
              AS v("workspaceId" uuid, "jobId" uuid, "subjectId" uuid, event text, data jsonb)`;
}

/** The parameter of `keepEvents`. */
export function keptEvents(events: readonly NewEvent[]): string {
  return JSON.stringify(events);
}

/**
 * Where the stream of a workspace ends now, after every event that is committed has its number. Ids are given before the commit, so
 * that one may show up behind greater ones that somebody has read; numbers are given to what is there, one transaction after
 * the other, so what was read up to a number stays all there is up to it.
 */
export async function streamHead(db: DataSource, workspaceId: string): Promise<StreamHead> {
  for (;;) {
    const [head]: [{ last: string; forgotten: string; isOver: boolean }] = await db.query(
      `SELECT coalesce(max(last), 0) AS last, coalesce(max(forgotten), 0) AS forgotten,
              NOT EXISTS (SELECT 1 FROM workspace_events WHERE workspace_id = $1 AND number IS NULL) AS "isOver"
         FROM workspace_event_heads WHERE workspace_id = $1`,
      [workspaceId],
    );
    if (head.isOver) return { last: BigInt(head.last), forgotten: BigInt(head.forgotten) };
    await inTransaction(db, (manager) => giveNumbers(manager, workspaceId));
  }
}

/**
 * Those after a number, in order; of numbers up to a `last` that `streamHead` gave none is missing but of jobs and texts that were
 * deleted. Null when some of them are kept no more.
 */
export async function eventsAfter(
  manager: EntityManager,
  workspaceId: string,
  { after, last, limit }: { after: bigint; last: bigint; limit: number },
): Promise<WorkspaceEvent[] | null> {
  // One statement: events forgotten between two statements would be missing without notice.
  // Without events there is one row whose number is null.
  const rows: ((WorkspaceEvent | { number: null }) & { forgotten: string })[] = await manager.query(
    `SELECT h.forgotten, e.* FROM workspace_event_heads h LEFT JOIN LATERAL (
       SELECT number, event, time_created AS "timeCreated", job_id AS "jobId", data FROM workspace_events e
        WHERE workspace_id = $1 AND number > $2 AND number <= $3 AND ${IS_OF_SOMETHING} ORDER BY number LIMIT $4) e ON true
      WHERE h.workspace_id = $1 ORDER BY e.number`,
    [workspaceId, String(after), String(last), limit],
  );
  if (rows.some(({ forgotten }) => BigInt(forgotten) > after)) return null;
  return rows.filter((row) => row.number !== null);
}

/** SQL: what an event is of was not deleted. Its events go in steps, behind the rest of it. */
const IS_OF_SOMETHING = `(job_id IS NULL OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = e.job_id AND j.time_deleted IS NULL))
  AND (event NOT LIKE 'svc.transcript.%' OR EXISTS (
    SELECT 1 FROM transcripts t WHERE t.id = e.subject_id AND t.time_deleted IS NULL AND NOT EXISTS (
      SELECT 1 FROM transcript_variants v WHERE v.transcript_id = t.id AND v.time_deleted IS NOT NULL
         AND v.id::text IN (e.data->'version'->>'variant_id', e.data->'paragraph'->>'variant_id'))))`;

async function giveNumbers(manager: EntityManager, workspaceId: string): Promise<void> {
  await holdHead(manager, workspaceId);
  // By a statement of its own, which sees what was given until the row was free.
  await manager.query(
    `WITH numbered AS (
       UPDATE workspace_events e SET number = h.last + f.place
         FROM workspace_event_heads h,
              (SELECT id, row_number() OVER (ORDER BY id) AS place FROM (
                 SELECT id FROM workspace_events WHERE workspace_id = $1 AND number IS NULL ORDER BY id LIMIT ${STEP}) n) f
        WHERE h.workspace_id = $1 AND e.id = f.id RETURNING e.number)
     UPDATE workspace_event_heads SET last = greatest(last, (SELECT max(number) FROM numbered)) WHERE workspace_id = $1`,
    [workspaceId],
  );
}

async function holdHead(manager: EntityManager, workspaceId: string): Promise<void> {
  await manager.query('INSERT INTO workspace_event_heads (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING', [
    workspaceId,
  ]);
  await manager.query('SELECT 1 FROM workspace_event_heads WHERE workspace_id = $1 FOR UPDATE', [workspaceId]);
}

/** Takes away, in steps, what is older than `before`, and of each workspace all but the newest `most`. */
export async function forgetEvents(
  db: DataSource,
  { before, most }: { before: Date; most: number },
  shouldContinue: () => Promise<boolean>,
): Promise<void> {
  const fresh: { id: string }[] = await db.query(
    'SELECT DISTINCT workspace_id AS id FROM workspace_events WHERE number IS NULL',
  );
  for (const { id } of fresh) {
    if (!(await shouldContinue())) return;
    await streamHead(db, id);
  }
  const full: { id: string }[] = await db.query(
    `SELECT workspace_id AS id FROM workspace_event_heads h
      WHERE EXISTS (SELECT 1 FROM workspace_events e WHERE e.workspace_id = h.workspace_id AND e.number <= h.last - $2)
     UNION SELECT workspace_id FROM workspace_events WHERE time_created < $1`,
    [before, most],
  );
  for (const { id } of full) {
    for (let gone = STEP; gone === STEP;) {
      if (!(await shouldContinue())) return;
      gone = await inTransaction(db, (manager) => forgetSome(manager, id, before, most));
    }
  }
}

/** The oldest go, and whoever has read less is told. Returns how many. */
async function forgetSome(manager: EntityManager, workspaceId: string, before: Date, most: number): Promise<number> {
  await holdHead(manager, workspaceId);
  const [{ count }]: [{ count: number }] = await manager.query(
    `WITH gone AS (
       DELETE FROM workspace_events WHERE id = ANY (ARRAY(
         SELECT id FROM (
           -- An index for each of the reasons: with OR all events of the workspace would be read.
           (SELECT id, number FROM workspace_events WHERE workspace_id = $1 AND number IS NOT NULL AND time_created < $2
             ORDER BY time_created LIMIT ${STEP})
           UNION
           (SELECT id, number FROM workspace_events
             WHERE workspace_id = $1 AND number <= (SELECT last FROM workspace_event_heads WHERE workspace_id = $1) - $3
             ORDER BY number LIMIT ${STEP})) e
          ORDER BY number LIMIT ${STEP})) RETURNING number),
     told AS (
       UPDATE workspace_event_heads SET forgotten = greatest(forgotten, (SELECT max(number) FROM gone))
        WHERE workspace_id = $1)
     SELECT count(*)::int AS count FROM gone`,
    [workspaceId, before, most],
  );
  return count;
}

/** Events that tell of a job. */
export const EVENTS_OF_JOB = rowsOfJob('workspace_events');

/** Deletes at most `limit` of the events that hold the text of a transcript, or of one variant; answers how many. */
export async function deleteEventsOfText(
  manager: EntityManager,
  { transcript_id: transcript, variant_id: variant }: { transcript_id: string; variant_id?: string },
  limit: number,
): Promise<number> {
  const found =
    variant === undefined
      ? 'SELECT ctid FROM workspace_events WHERE subject_id = $1'
      : `SELECT e.ctid FROM workspace_events e JOIN transcript_variants v ON v.transcript_id = e.subject_id
          WHERE v.id = $1 AND $1::text IN (e.data->'version'->>'variant_id', e.data->'paragraph'->>'variant_id')`;
  const [counts]: [{ gone: number }] = await manager.query(
    `WITH gone AS (DELETE FROM workspace_events WHERE ctid = ANY(ARRAY(${found} LIMIT $2)) RETURNING 1)
     SELECT count(*)::int AS gone FROM gone`,
    [variant ?? transcript, limit],
  );
  return counts.gone;
}

/** Deletes the events that tell of jobs, which stay. */
export async function deleteEventsOfJobs(manager: EntityManager, jobs: readonly string[]): Promise<void> {
  await manager.query('DELETE FROM workspace_events WHERE job_id = ANY($1::uuid[])', [jobs]);
}
