import type { DataSource } from 'typeorm';

/** Tables that record who asked, and those that background work writes all the time. */
const BESIDE = ['audit_entries', 'idempotency_keys', 'leases', 'object_removals', 'outbox', 'storage_removals'];
/** Columns that a new secret or a use of the key changes. */
const CHANGING = ['hash', 'prefix', 'time_last_used', 'token_hash'];

/** All that is stored, by table, and how many rows were ever numbered. */
export async function stored(db: DataSource): Promise<Record<string, string>> {
  const tables: { name: string }[] = await db.query(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND NOT (table_name = ANY($1))`,
    [BESIDE],
  );
  const all: Record<string, string> = {};
  for (const { name } of tables) {
    const rows: { row: string }[] = await db.query(
      `SELECT (to_jsonb(t) - $1::text[])::text AS row FROM "${name}" t ORDER BY 1`,
      [CHANGING],
    );
    all[name] = rows.map(({ row }) => row).join('\n');
  }
  const numbered: { name: string; last: string | null }[] = await db.query(
    `SELECT sequencename AS name, last_value AS last FROM pg_sequences WHERE sequencename NOT LIKE 'audit%' ORDER BY 1`,
  );
  for (const { name, last } of numbered) all[name] = String(last);
  return all;
}
