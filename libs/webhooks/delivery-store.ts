import { randomUUID } from 'node:crypto';
import { inStatement, type WebhookDeliveryState } from '@adit/database';
import { EntityManager, type DataSource } from 'typeorm';
import { receiverOf, type NewDelivery } from './new-delivery.js';
import type { Answer } from './sender.js';

/** A delivery that this process may attempt now. */
export interface ClaimedDelivery {
  seq: string;
  id: string;
  subscription: string;
  kind: string;
  signer: string;
  jobId: string | null;
  url: string;
  receiver: string;
  event: string;
  timestamp: number;
  data: string;
  traceparent: string | null;
  /** The number of this attempt, from 1. */
  attempt: number;
  /** The same, counted from the last replay: where in the schedule it stands. */
  tried: number;
}

interface ClaimOptions {
  now: Date;
  /** When the attempt counts as lost. */
  leaseUntil: Date;
  /** At most so many in all. */
  limit: number;
  /** At most so many for one receiver, */
  perReceiver: number;
  /** but for these so many. */
  rooms: ReadonlyMap<string, number>;
}

/**
 * Stores deliveries that are due at once, or at `now`; one whose subscription has it already, or was answered 410, is left out. Returns how
 * many are new; null, with nothing stored, when an identity that one of them shows was erased since it was made. An erasure
 * waits for those that are stored right then, and looks for them among the deliveries of its jobs.
 *
 * @param db a manager: within its transaction.
 */
export async function storeDeliveries(
  db: DataSource | EntityManager,
  news: NewDelivery[],
  now: Date | null = null,
): Promise<number | null> {
  if (news.length === 0) return 0;
  const shown = [...new Set(news.flatMap(({ identities = [] }) => identities))];
  const column = <T>(of: (delivery: NewDelivery) => T): T[] => news.map(of);
  const run = (sql: string, values: unknown[]): Promise<{ stored: number; held: number }[]> =>
    db instanceof EntityManager ? db.query(sql, values) : inStatement(db, sql, values);
  const rows = await run(
    `WITH held AS MATERIALIZED (
       SELECT index_id FROM index_identities WHERE index_id = ANY($15::text[]) ORDER BY index_id FOR KEY SHARE),
     stored AS (
       INSERT INTO webhook_deliveries (id, subscription, fact, kind, signer, job_id, url, receiver, order_key, event,
                                       timestamp, data, traceparent, due_at)
       SELECT id, subscription, fact, kind, signer, job_id, url, receiver, order_key, event, timestamp, data, traceparent,
              coalesce($14::timestamptz, now())
         FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::text[],
                     $9::text[], $10::text[], $11::float8[], $12::text[], $13::text[]) WITH ORDINALITY
           AS n (id, subscription, fact, kind, signer, job_id, url, receiver, order_key, event, timestamp, data, traceparent,
                 place)
        WHERE NOT EXISTS (SELECT 1 FROM webhook_deliveries g WHERE g.subscription = n.subscription AND g.state = 'gone')
          AND (SELECT count(*) FROM held) = cardinality($15::text[])
        -- A join by hash would hand them out in any order, and seq is the order of their first attempts.
        ORDER BY place
       ON CONFLICT (subscription, fact) DO NOTHING
       RETURNING 1)
     SELECT (SELECT count(*)::int FROM stored) AS stored, (SELECT count(*)::int FROM held) AS held`,
    [
      column(({ id }) => id ?? randomUUID()),
      column(({ subscription }) => subscription),
      column(({ fact }) => fact),
      column(({ kind }) => kind),
      column(({ signer }) => signer),
      column(({ jobId }) => jobId),
      column(({ url }) => url),
      column(({ url }) => receiverOf(url)),
      column(({ orderKey }) => orderKey),
      column(({ event }) => event),
      column(({ timestamp }) => timestamp),
      column(({ data }) => JSON.stringify(data)),
      column(({ traceparent }) => traceparent),
      now,
      shown,
    ],
  );
  const [row] = rows;
  return row === undefined || row.held < shown.length ? null : row.stored;
}

/**
 * Takes due deliveries for this process and counts the attempt before it is made. Not by `libs/leases`, for two reasons: a claim
 * is for many rows by schedule, receiver and order, and an attempt that was overtaken counts when it did deliver (ADR 23). Receivers are asked one by one, so that
 * the backlog of one hides no other's; the first attempts of one order key are given out one after the other.
 */
export async function claimDeliveries(manager: EntityManager, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { now, leaseUntil, limit, perReceiver, rooms } = options;
  if (limit <= 0) return [];
  return manager.query(CLAIM, [now, leaseUntil, limit, perReceiver, [...rooms.keys()], [...rooms.values()]]);
}

const CLAIM = `
  WITH RECURSIVE receivers AS (
    (SELECT receiver FROM webhook_deliveries WHERE state = 'pending' ORDER BY receiver LIMIT 1)
    UNION ALL
    SELECT (SELECT n.receiver FROM webhook_deliveries n
             WHERE n.state = 'pending' AND n.receiver > r.receiver ORDER BY n.receiver LIMIT 1)
      FROM receivers r WHERE r.receiver IS NOT NULL),
  rooms AS (
    SELECT r.receiver, coalesce(k.room, $4::int) AS room
      FROM receivers r LEFT JOIN unnest($5::text[], $6::int[]) AS k (receiver, room) ON k.receiver = r.receiver
     WHERE r.receiver IS NOT NULL),
  due AS (
    SELECT d.seq FROM rooms CROSS JOIN LATERAL (
      SELECT w.seq, w.due_at FROM webhook_deliveries w
       WHERE w.receiver = rooms.receiver AND w.state = 'pending' AND w.due_at <= $1::timestamptz
         AND (w.order_key IS NULL OR NOT EXISTS (
           SELECT 1 FROM webhook_deliveries e
            WHERE e.order_key = w.order_key AND e.seq < w.seq AND e.state = 'pending' AND e.time_attempted IS NULL))
       ORDER BY w.due_at, w.seq LIMIT rooms.room FOR UPDATE SKIP LOCKED) d
    ORDER BY d.due_at, d.seq LIMIT $3::int),
  claimed AS (
    UPDATE webhook_deliveries w SET attempts = w.attempts + 1, due_at = $2::timestamptz
      FROM due WHERE w.seq = due.seq AND w.state = 'pending' AND w.due_at <= $1::timestamptz
    RETURNING w.seq, w.id, w.subscription, w.kind, w.signer, w.job_id AS "jobId", w.url, w.receiver, w.event,
              w.timestamp, w.data, w.traceparent, w.attempts AS attempt,
              w.attempts - w.attempts_before_replay AS tried)
  SELECT * FROM claimed ORDER BY seq`;

/** State of a delivery after an attempt. */
export interface AttemptRecord {
  delivery: Pick<ClaimedDelivery, 'id' | 'subscription' | 'kind' | 'signer' | 'attempt'>;
  answer: Answer;
  started: Date;
  ended: Date;
  /** When to try again; null when this was the last attempt. */
  nextDue: Date | null;
}

/**
 * Keeps how attempts ended, each of another delivery. One that was taken for lost meanwhile still counts when it did
 * deliver. After a 410 all that waits for the same subscription ends with it.
 */
export async function recordAttempts(manager: EntityManager, records: AttemptRecord[]): Promise<void> {
  if (records.length === 0) return;
  const column = <T>(of: (record: AttemptRecord) => T): T[] => records.map(of);
  await manager.query(RECORD, [
    column(({ delivery }) => delivery.id),
    column(({ delivery }) => delivery.attempt),
    column(({ started }) => started),
    column(({ started, ended }) => ended.getTime() - started.getTime()),
    column(({ answer }) => answer.status),
    column(({ answer }) => answer.error),
    column(({ answer }) => answer.response),
    column(stateAfter),
    column(({ nextDue }) => nextDue),
    column(({ ended }) => ended),
  ]);
  for (const { delivery, ended } of records.filter((record) => stateAfter(record) === 'gone')) {
    await manager.query(
      `UPDATE webhook_deliveries SET state = 'gone', time_ended = $2 WHERE subscription = $1 AND state = 'pending'`,
      [delivery.subscription, ended],
    );
  }
}

function stateAfter({ answer, nextDue }: AttemptRecord): WebhookDeliveryState {
  if (answer.outcome !== 'failed') return answer.outcome;
  return nextDue === null ? 'failed' : 'pending';
}

const RECORD = `
  WITH made AS (
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::int[], $5::int[], $6::text[], $7::text[],
                         $8::text[], $9::timestamptz[], $10::timestamptz[])
        AS m (id, attempt, started, took, status, error, response, state, next_due, ended)),
  noted AS (
    INSERT INTO webhook_attempts (delivery_id, attempt, webhook_id, time_started, took, status, error, response)
    SELECT m.id, m.attempt, CASE WHEN d.kind = 'webhook' THEN d.signer END, m.started, m.took, m.status, m.error, m.response
      FROM made m JOIN webhook_deliveries d ON d.id = m.id
    ON CONFLICT DO NOTHING)
  UPDATE webhook_deliveries d
     SET state = m.state, due_at = coalesce(m.next_due, d.due_at), time_attempted = m.ended,
         time_ended = CASE WHEN m.state = 'pending' THEN NULL ELSE m.ended END
    FROM made m
   WHERE d.id = m.id AND d.state = 'pending' AND (d.attempts = m.attempt OR m.state <> 'pending')`;

/** Counts the deliveries that are due. `oldestSeconds`: time since the oldest was due. */
export async function dueBacklog(manager: EntityManager, now: Date): Promise<{ due: number; oldestSeconds: number }> {
  const [row]: { due: number; oldest: Date | null }[] = await manager.query(
    `SELECT count(*)::int AS due, min(due_at) AS oldest FROM webhook_deliveries WHERE state = 'pending' AND due_at <= $1`,
    [now],
  );
  const oldest = row?.oldest ?? null;
  return {
    due: row?.due ?? 0,
    oldestSeconds: oldest === null ? 0 : (now.getTime() - new Date(oldest).getTime()) / 1000,
  };
}

/**
 * Removes deliveries that ended before `before`, and at once those that ended for a job that was deleted since, with
 * their attempts: the body names what was found in the media. Returns how many.
 */
export async function removeEndedDeliveries(manager: EntityManager, before: Date, limit = 1000): Promise<number> {
  const rows: unknown[] = await manager.query(
    `WITH old AS (
       (SELECT id FROM webhook_deliveries WHERE time_ended < $1 LIMIT $2)
       UNION
       (SELECT d.id FROM jobs j JOIN webhook_deliveries d ON d.job_id = j.id
         WHERE j.time_deleted IS NOT NULL AND d.time_ended IS NOT NULL LIMIT $2)),
     attempts AS (DELETE FROM webhook_attempts a USING old WHERE a.delivery_id = old.id),
     removed AS (DELETE FROM webhook_deliveries d USING old WHERE d.id = old.id RETURNING 1)
     SELECT * FROM removed`,
    [before, limit],
  );
  return rows.length;
}
