import type { EntityManager } from 'typeorm';

/**
 * Takes a turn at work that was prepared from what is there, without a lock: false when another process has taken one
 * since, so that what was prepared may not hold. `seen` is what `turnOf` read with it. Others wait for the caller's
 * transaction.
 */
export async function takeTurn(manager: EntityManager, name: string, seen: string | null): Promise<boolean> {
  const rows: unknown[] = await manager.query(
    `INSERT INTO leases AS turn (name, holder, lease_until) VALUES ($1, gen_random_uuid(), now())
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
      WHERE turn.holder = $2 RETURNING 1 AS taken`,
    [name, seen],
  );
  return rows.length > 0;
}

/** SQL: the last turn, to be read by the statement that prepares the next one. */
export function turnOf(name: string): string {
  return `(SELECT holder FROM leases WHERE name = '${name}')`;
}
