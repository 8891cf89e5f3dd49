import { randomUUID } from 'node:crypto';
import type { OutboxEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Number of shards: keys are hashed, and only the relay that has a shard's lock publishes its keys. */
const SHARDS = 32;
/** Shards and rows that one relay takes at a time, so that others find some too, also while this one waits for the bus. */
export const SHARDS_AT_A_TIME = 8;
export const BATCH = 200;
/** Flows of a shard that a batch looks at: the shards of a batch fill it with one message of each. */
const FLOWS = BATCH / SHARDS_AT_A_TIME;
/** Rows read for each row of a batch, so that it is filled where most flows have few rows. */
const READ_AHEAD = 8;
/** First half of the advisory locks' keys, "outb" in ASCII; the shard is the second. */
const LOCK_CLASS = 0x6f757462;

/** SQL: the shard of a row; older builds compute and lock the same one. `outbox_shard` is the index of it, flow and id. */
const SHARD_OF = `(hashtext(key) & ${SHARDS - 1})`;

type BatchRow = Pick<OutboxEntity, 'id' | 'topic' | 'key' | 'envelope'>;

/** What one statement took. */
export interface TakenBatch {
  /** In the order of their ids. */
  rows: Omit<BatchRow, 'id'>[];
  /** There are more that no other relay holds. */
  more: boolean;
  /** Other relays hold the shards of some. They have not seen those that came after they had begun. */
  held: boolean;
}

/** A message that was taken, or nulls where there was none. */
type TakenRow = { more: boolean; held: boolean } & {
  [Column in keyof TakenBatch['rows'][0]]: TakenBatch['rows'][0][Column] | null;
};

/**
 * Removes a batch of the shards that no other relay holds. The shards from `from` on are tried first: a relay that moves on by
 * SHARDS_AT_A_TIME visits each in turn. The transaction holds the shards until it ends. It is one statement: DELETE skips rows
 * that its snapshot still shows although another relay has published them. It never shows a message without those of the same
 * key that were committed before it.
 */
export async function takeBatch(manager: EntityManager, from = 0): Promise<TakenBatch> {
  const taken: TakenRow[] = await manager.query(
    `${chosenRows(`pg_try_advisory_xact_lock(${LOCK_CLASS}, shard)`)},
     taken AS (DELETE FROM outbox WHERE id = ANY (ARRAY(SELECT id FROM chosen)) RETURNING id, topic, key, envelope),
     visited AS (SELECT (SELECT count(*) FROM pending) AS pending, (SELECT count(*) FROM mine) AS mine)
     SELECT s.*, t.topic, t.key, t.envelope
       FROM (SELECT pending > mine AND mine = $2 OR EXISTS (
                      SELECT FROM mine m CROSS JOIN LATERAL (
                        SELECT FROM outbox o WHERE ${SHARD_OF} = m.shard AND o.id <> ALL (ARRAY(SELECT id FROM chosen)) LIMIT 1) o)
                      AS more,
                    pending > mine AND mine < $2 AS held FROM visited) s
       LEFT JOIN taken t ON true ORDER BY t.id`,
    [from, SHARDS_AT_A_TIME, randomUUID()],
  );
  const rows = taken.flatMap(({ topic, key, envelope }) =>
    topic === null || key === null || envelope === null ? [] : [{ topic, key, envelope }],
  );
  return { rows, more: taken[0]?.more === true, held: taken[0]?.held === true };
}

/** Returns a batch of all shards, in the order of ids, and leaves it there: for the only process of a database. */
export function readBatch(manager: EntityManager): Promise<BatchRow[]> {
  return manager.query(
    `${chosenRows('true')}
     SELECT id, topic, key, envelope FROM outbox WHERE id = ANY (ARRAY(SELECT id FROM chosen)) ORDER BY id`,
    [0, SHARDS, randomUUID()],
  );
}

/**
 * SQL: the ids of a batch as `chosen`: from the shard `$1` on, at most `$2` shards for which `isMine` holds. Flows take
 * turns by rows, in each shard as many flows as a batch has room for, from `$3` on, which is random: whoever has much to
 * send delays others by its share of a batch. Rows of a flow go in the order of their ids.
 *
 * Rows of builds that knew no flows have an empty one, and may share keys with rows that have one. A shard with such
 * rows is therefore one flow until they are gone.
 */
function chosenRows(isMine: string): string {
  const next = (where: string, wrapped: string) =>
    `(SELECT o.flow, ${wrapped} AS wrapped FROM outbox o WHERE ${SHARD_OF} = m.shard AND ${where} ORDER BY o.flow LIMIT 1)`;
  const rows = (where: string) =>
    `(SELECT o.id FROM outbox o WHERE ${SHARD_OF} = f.shard AND ${where} ORDER BY o.id
       LIMIT 1 + ${BATCH * READ_AHEAD} / (SELECT count(*) FROM flows))`;
  return `
    WITH pending AS MATERIALIZED (
      SELECT shard, first.flow FROM generate_series($1::int, $1::int + ${SHARDS - 1}) AS n
       CROSS JOIN LATERAL (SELECT n & ${SHARDS - 1} AS shard) s
       CROSS JOIN LATERAL (SELECT flow FROM outbox WHERE ${SHARD_OF} = shard ORDER BY flow LIMIT 1) first
       ORDER BY n),
    mine AS MATERIALIZED (SELECT shard, flow FROM pending WHERE ${isMine} LIMIT $2),
    flows AS MATERIALIZED (
      SELECT shard, '' AS flow FROM mine WHERE flow = ''
      UNION ALL
      SELECT m.shard, f.flow FROM mine m CROSS JOIN LATERAL (
        WITH RECURSIVE f AS (
          SELECT $3::text AS flow, false AS wrapped, 0 AS n
          UNION ALL
          SELECT next.flow, next.wrapped, f.n + 1
            FROM f CROSS JOIN LATERAL (
              ${next('o.flow > f.flow', 'f.wrapped')} UNION ALL ${next('NOT f.wrapped', 'true')} LIMIT 1) next
           WHERE f.n < ${FLOWS} AND NOT (next.wrapped AND next.flow > $3))
        SELECT flow FROM f WHERE n > 0) f
       WHERE m.flow <> ''),
    candidates AS (
      SELECT r.id, row_number() OVER (PARTITION BY f.shard, f.flow ORDER BY r.id) AS turn
        FROM flows f CROSS JOIN LATERAL (
          ${rows(`f.flow <> '' AND o.flow = f.flow`)} UNION ALL ${rows(`f.flow = ''`)}) r),
    chosen AS (SELECT id FROM candidates ORDER BY turn, id LIMIT ${BATCH})`;
}
