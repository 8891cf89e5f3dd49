import { LIFETIME_SECONDS } from '@adit/contracts';
import { IdempotencyKeyEntity, inSeconds, rowsOfWorkspace, type RowsOfWorkspace } from '@adit/database';
import { IsNull, type DataSource, type EntityManager } from 'typeorm';

/** A key of a workspace. */
export interface KeyId {
  workspaceId: string;
  key: string;
}

/** A request that is this process's to answer. */
export interface KeyClaim {
  newId: string;
  isDone: boolean;
  /** It was begun by a build that did not note what it had done. */
  isOlder?: boolean;
}

/** The first request under a key, or the next one once its time is over; null when another request holds the key. */
export async function claimKey(
  db: DataSource,
  { workspaceId, key }: KeyId,
  { requestDigest, newId, seconds }: { requestDigest: string; newId: string; seconds: number },
): Promise<KeyClaim | null> {
  const values = [workspaceId, key, requestDigest, newId, seconds];
  const [begun]: KeyClaim[] = await db.query(BEGIN, values);
  if (begun !== undefined) return begun;
  const [takenOver]: KeyClaim[] = await db.query(TAKE_OVER, [...values, LIFETIME_SECONDS.idempotencyKey]);
  return takenOver ?? null;
}

const BEGIN = `
  INSERT INTO idempotency_keys (workspace_id, key, request_digest, new_id, time_expires)
  VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
  ON CONFLICT DO NOTHING RETURNING new_id AS "newId", false AS "isDone"`;

/**
 * Takes over a key that has expired: its reply is a day old, or the process that worked on it counts as dead. For a day, only a
 * repetition of the same request may rely on what the dead process did. A slow process that still works keeps the row locked;
 * such rows are skipped.
 */
const TAKE_OVER = `
  WITH k AS MATERIALIZED (
    SELECT *, request_digest = $3 AS is_same,
           status IS NULL AND (time_done IS NULL OR time_done > now() - make_interval(secs => $6)) AS has_died
      FROM idempotency_keys WHERE workspace_id = $1 AND key = $2 AND time_expires <= now()
       FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE idempotency_keys i
       SET request_digest = $3, time_expires = now() + make_interval(secs => $5), status = NULL, body = NULL, headers = NULL,
           new_id = CASE WHEN k.has_died AND k.is_same THEN coalesce(k.new_id, $4::uuid) ELSE $4::uuid END,
           time_done = CASE WHEN k.has_died AND k.is_same THEN k.time_done END
      FROM k
     WHERE i.workspace_id = k.workspace_id AND i.key = k.key AND (k.is_same OR NOT k.has_died OR k.time_done IS NULL)
    RETURNING i.new_id AS "newId", i.time_done IS NOT NULL AS "isDone",
              k.has_died AND k.is_same AND k.new_id IS NULL AS "isOlder"
  ) SELECT * FROM taken`;

/** Keeps the reply to a request, for so many seconds. */
export async function keepReply(
  manager: EntityManager,
  id: KeyId,
  {
    status,
    body,
    headers,
    seconds,
  }: { status: number; body: unknown; headers: Record<string, string>; seconds: number },
): Promise<void> {
  await manager.update(IdempotencyKeyEntity, id, {
    status,
    // TypeORM's type of a JSON column knows objects only; null is JSON too.
    body: body as object,
    headers,
    timeExpires: inSeconds(seconds),
  });
}

/** Marks that a request did what it asks, in the transaction that does it; false where another process did it. */
export async function markDone(manager: EntityManager, id: KeyId): Promise<boolean> {
  const where = { ...id, timeDone: IsNull() };
  const { affected } = await manager.update(IdempotencyKeyEntity, where, { timeDone: inSeconds(0) });
  return affected === 1;
}

/** SQL: the same for rows that name `"workspaceId"` and `"idempotencyKey"`. */
export function keysDone(rows: string): string {
  return `UPDATE idempotency_keys k SET time_done = now() FROM ${rows}
     WHERE k.workspace_id = ${rows}."workspaceId" AND k.key = ${rows}."idempotencyKey"`;
}

/** Notes what an older build made of a request; false when somebody else noted it. */
export async function markMade(manager: EntityManager, id: KeyId, newId: string, made: string): Promise<boolean> {
  const where = { ...id, newId, timeDone: IsNull() };
  const { affected } = await manager.update(IdempotencyKeyEntity, where, { newId: made, timeDone: inSeconds(0) });
  return affected === 1;
}

/** After a failure: what was refused leaves nothing; what was done is answered when the request is repeated. */
export async function releaseKey(manager: EntityManager, id: KeyId): Promise<void> {
  const unanswered = { ...id, status: IsNull() };
  await manager.delete(IdempotencyKeyEntity, { ...unanswered, timeDone: IsNull() });
  await manager.update(IdempotencyKeyEntity, unanswered, { timeExpires: inSeconds(0) });
}

/** The same for all keys at once, when nobody is left to answer. */
export async function releaseKeys(manager: EntityManager): Promise<void> {
  await manager.delete(IdempotencyKeyEntity, { status: IsNull(), timeDone: IsNull() });
  await manager.update(IdempotencyKeyEntity, { status: IsNull() }, { timeExpires: new Date() });
}

/**
 * Deletes at most `limit` keys whose time is over at `now`; those that were done and not answered, when that was before
 * `doneBefore`. Returns their number.
 */
export async function expireKeys(
  db: Pick<EntityManager, 'query'>,
  { now, doneBefore, limit }: { now: Date; doneBefore: Date; limit: number },
): Promise<number> {
  const [row]: { count: number }[] = await db.query(
    `WITH gone AS (
       DELETE FROM idempotency_keys k USING (
         SELECT workspace_id, key FROM idempotency_keys
          WHERE time_expires < $1 AND (status IS NOT NULL OR time_done IS NULL OR time_done < $2)
          ORDER BY time_expires LIMIT $3) d
        WHERE k.workspace_id = d.workspace_id AND k.key = d.key
          -- One that a request has begun anew since stays.
          AND k.time_expires < $1 AND (k.status IS NOT NULL OR k.time_done IS NULL OR k.time_done < $2)
       RETURNING 1)
     SELECT count(*)::int AS count FROM gone`,
    [now, doneBefore, limit],
  );
  return row?.count ?? 0;
}

/** Rows erased with their workspace. */
export const IDEMPOTENCY_ROWS: readonly RowsOfWorkspace[] = [
  rowsOfWorkspace('idempotency_keys', { kind: 'idempotency_keys' }),
];
