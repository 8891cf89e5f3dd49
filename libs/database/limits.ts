import { AditError } from '@adit/contracts';
import type { EntityManager } from 'typeorm';

/** What an owner may have only so many of. */
export interface Room {
  /** Of the sort of thing, for those that take turns. */
  kind: string;
  /** Whose they are: a workspace, a dataset. */
  ownerId: string;
  most: number;
  /** SQL: a row for each that the owner `$1` has. `values` are `$3` and on. */
  rows: string;
  values?: unknown[];
  /** What is said to whoever wants one more: how many there may be, and what to do. */
  message: string;
}

/**
 * Whoever makes one more asks in the same transaction: until that ends, others who ask wait, so that of two at once only one is
 * the last. Throws CONFLICT.
 */
export async function refuseBeyond(
  manager: EntityManager,
  { kind, ownerId, most, rows, values = [], message }: Room,
): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [kind, ownerId]);
  // A statement of its own: one that waited for the lock would not see what was made meanwhile.
  const [found]: { count: number }[] = await manager.query(
    `SELECT count(*)::int AS count FROM (${rows} LIMIT $2) AS there`,
    [ownerId, most, ...values],
  );
  if ((found?.count ?? 0) >= most) throw tooMany(message);
}

export function tooMany(message: string): AditError {
  return new AditError('CONFLICT', message, { errors: [{ pointer: '', code: 'too_many', message }] });
}
