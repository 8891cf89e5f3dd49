import { AditError } from '@adit/contracts';
import type { EntityManager } from 'typeorm';

/** Quota of an owner: the number of rows that it may have. */
export interface RowQuota {
  /** Name of the kind, for the lock. */
  kind: string;
  /** Owner: a workspace, a dataset. */
  ownerId: string;
  most: number;
  /** SQL: a row for each one that the owner `$1` has. `values` are `$3` and on. */
  rows: string;
  values?: unknown[];
  /** Error message when the limit is reached: the limit, and what to do. */
  message: string;
}

/**
 * Checks a limit in the transaction that inserts one more: until that ends, other callers wait, so that only one can
 * be the last. Throws CONFLICT.
 */
export async function refuseBeyond(
  manager: EntityManager,
  { kind, ownerId, most, rows, values = [], message }: RowQuota,
): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [kind, ownerId]);
  // A statement of its own: one that waited for the lock would not see rows inserted meanwhile.
  const [found]: { count: number }[] = await manager.query(
    `SELECT count(*)::int AS count FROM (${rows} LIMIT $2) AS there`,
    [ownerId, most, ...values],
  );
  if ((found?.count ?? 0) >= most) throw tooMany(message);
}

export function tooMany(message: string): AditError {
  return new AditError('CONFLICT', message, { errors: [{ pointer: '', code: 'too_many', message }] });
}
