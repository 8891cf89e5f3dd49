import type { OutboxEntity } from '@adit/database';
import type { EntityManager } from 'typeorm';

/** Number of shards: keys are hashed, and only the relay that has a shard's lock publishes its keys. */
const SHARDS = 32;
/** Shards and rows that one relay takes at a time, so that others find some too, also while this one waits for the bus. */
const SHARDS_AT_A_TIME = 8;
const BATCH = 200;
/** Number of messages from the oldest on among which free shards are searched. */
const WINDOW = 2000;
/** First half of the advisory locks' keys, "outb" in ASCII; the shard is the second. */
const LOCK_CLASS = 0x6f757462;

/**
 * Removes the oldest messages of the shards that no other relay holds, and returns them in the order of their ids.
 * The transaction holds the shards until it ends. It is one statement: DELETE skips rows that its snapshot still
 * shows although another relay has published them. It never shows a message without those of the same key that were
 * committed before it.
 */
export function takeBatch(manager: EntityManager): Promise<Pick<OutboxEntity, 'topic' | 'key' | 'envelope'>[]> {
  return manager.query(
    `WITH pending AS MATERIALIZED (
       SELECT hashtext(key) & $1 AS shard FROM (SELECT id, key FROM outbox ORDER BY id LIMIT $2) AS oldest
        GROUP BY shard ORDER BY min(id)),
     mine AS MATERIALIZED (SELECT shard FROM pending WHERE pg_try_advisory_xact_lock($3, shard) LIMIT $4),
     taken AS (
       DELETE FROM outbox WHERE id = ANY (ARRAY(
         SELECT id FROM outbox WHERE hashtext(key) & $1 IN (SELECT shard FROM mine) ORDER BY id LIMIT $5))
       RETURNING id, topic, key, envelope)
     SELECT topic, key, envelope FROM taken ORDER BY id`,
    [SHARDS - 1, WINDOW, LOCK_CLASS, SHARDS_AT_A_TIME, BATCH],
  );
}
