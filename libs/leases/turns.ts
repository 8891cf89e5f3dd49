/**
 * SQL: takes a turn at work that was prepared from what is there, without a lock, as the first part of the statement that does
 * it. It answers no row when another process has taken one since, so that what was prepared may not hold: `seen` is what
 * `turnOf` read with it. Others wait for the transaction. Whoever does not wait does the rest only where `EXISTS (SELECT FROM turn)`.
 */
export function takenTurn(name: string, seen: string, first: string): string {
  return `
    INSERT INTO leases AS turn (name, holder, lease_until) SELECT '${name}', gen_random_uuid(), now() FROM ${first}
    ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, lease_until = excluded.lease_until
     WHERE turn.holder = ${seen} RETURNING 1 AS taken`;
}

/** SQL: the last turn, to be read by the statement that prepares the next one. */
export function turnOf(name: string): string {
  return `(SELECT holder FROM leases WHERE name = '${name}')`;
}
