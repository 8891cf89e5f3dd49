import { createLogger } from '@adit/runtime';
import type { QueryRunner } from 'typeorm';

const log = createLogger('database');
/** Of the embedding that comes with Adit. */
const USUAL_DIMENSIONS = 512;
/** What an index over half floats can hold. */
const MOST_DIMENSIONS = 4_000;

/**
 * Makes what face indexes are searched by, where the server has pgvector: the extension and an index for each size of embedding.
 * No migration: a server may be given the extension later, and does without it until then. Throws nothing.
 */
export async function prepareVectorIndexes(runner: QueryRunner): Promise<void> {
  try {
    const available: unknown[] = await runner.query(`SELECT 1 FROM pg_available_extensions WHERE name = 'vector'`);
    if (available.length === 0) return;
    const installed: unknown[] = await runner.query(`SELECT 1 FROM pg_extension WHERE extname = 'vector'`);
    if (installed.length === 0) await runner.query('CREATE EXTENSION IF NOT EXISTS vector');
    const rows: { dimensions: number }[] = await runner.query(
      `SELECT DISTINCT dimensions FROM index_collections WHERE dimensions <= ${MOST_DIMENSIONS}`,
    );
    const sizes = new Set([USUAL_DIMENSIONS, ...rows.map(({ dimensions }) => dimensions)]);
    for (const dimensions of sizes) await makeIndex(runner, dimensions);
  } catch (error) {
    log.warn(
      { err: error },
      'pgvector cannot be set up: face indexes are searched without it. Have an administrator run CREATE EXTENSION vector',
    );
  }
}

async function makeIndex(runner: QueryRunner, dimensions: number): Promise<void> {
  const name = `index_identities_hnsw_${dimensions}`;
  const [made]: { valid: boolean }[] = await runner.query(
    `SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [name],
  );
  if (made?.valid === true) return;
  // Of a process that died while it made it.
  if (made !== undefined) await runner.query(`DROP INDEX "${name}"`);
  await runner.query(
    `CREATE INDEX CONCURRENTLY "${name}" ON index_identities USING hnsw ((centroid::halfvec(${dimensions})) halfvec_l2_ops)
      WHERE cardinality(centroid) = ${dimensions}`,
  );
}
