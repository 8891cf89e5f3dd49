import type { QueryRunner } from 'typeorm';

/**
 * Makes an index while others read and write its table; `definition` follows its name: `ON "jobs" ("tag")`. It serves
 * migrations with `transaction = false`, whose process may die at any time: a valid index stays, an invalid one is
 * dropped and made anew.
 */
export async function makeIndex(runner: Pick<QueryRunner, 'query'>, name: string, definition: string): Promise<void> {
  const [made]: { valid: boolean }[] = await runner.query(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass(quote_ident($1))`,
    [name],
  );
  if (made?.valid === true) return;
  if (made !== undefined) await dropIndex(runner, name);
  await runner.query(`CREATE INDEX CONCURRENTLY "${name}" ${definition}`);
}

/** Drops an index while others read and write its table, if it is there. */
export async function dropIndex(runner: Pick<QueryRunner, 'query'>, name: string): Promise<void> {
  await runner.query(`DROP INDEX CONCURRENTLY IF EXISTS "${name}"`);
}
