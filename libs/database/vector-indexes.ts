import { createLogger } from '@adit/runtime';
import type { EntityManager, QueryRunner } from 'typeorm';
import { dropIndex, makeIndex } from './concurrent-index.js';

const log = createLogger('database');
/** Size of the embedding that comes with Adit. */
const USUAL_DIMENSIONS = 512;
/** Oldest usable version: earlier ones stop an index scan before enough of one collection are found. */
const MIN_VERSION = [0, 8] as const;
/** Maximum number of dimensions of pgvector's vector. */
const MAX_DIMENSIONS = 16_000;
/** Prefix of the indexes over the signs of embeddings; their dimensions follow. */
const PREFIX = 'index_identities_signs_';
/** Index of the faces that searches by a photo compare. */
const FACES = `search_faces_signs_${USUAL_DIMENSIONS}`;
/** Prefix of indexes over half floats, which earlier builds made and searched. */
const EARLIER_PREFIX = 'index_identities_hnsw_';

/**
 * Makes the search indexes over embeddings, where the server has pgvector: the extension, an index for each size of
 * embedding of face indexes, and one over the faces of the search. It is no migration: a server may get the extension later, and works without it until then. Throws
 * nothing.
 */
export async function prepareVectorIndexes(runner: QueryRunner): Promise<void> {
  try {
    const available: unknown[] = await runner.query(`SELECT 1 FROM pg_available_extensions WHERE name = 'vector'`);
    if (available.length === 0) return;
    const installed: unknown[] = await runner.query(`SELECT 1 FROM pg_extension WHERE extname = 'vector'`);
    if (installed.length === 0) await runner.query('CREATE EXTENSION IF NOT EXISTS vector');
    const rows: { dimensions: number }[] = await runner.query(
      `SELECT DISTINCT dimensions FROM index_collections WHERE dimensions <= ${MAX_DIMENSIONS}`,
    );
    const sizes = new Set([USUAL_DIMENSIONS, ...rows.map(({ dimensions }) => dimensions)]);
    for (const dimensions of sizes) {
      await makeIndex(runner, `${PREFIX}${dimensions}`, overSigns('index_identities', 'centroid', dimensions));
      // An earlier build that still runs compares with all rows from here on.
      await dropIndex(runner, `${EARLIER_PREFIX}${dimensions}`);
    }
    await makeIndex(runner, FACES, overSigns('search_faces', 'embedding', USUAL_DIMENSIONS));
  } catch (error) {
    log.warn(
      { err: error },
      'pgvector cannot be set up: face indexes are searched without it, and nothing is found by a photo. Have an administrator run CREATE EXTENSION vector',
    );
  }
}

/** Definition of an index over the signs of embeddings of one size. */
function overSigns(table: string, column: string, dimensions: number): string {
  return `ON ${table} USING hnsw ((${signsOf(`${column}::vector(${dimensions})`, dimensions)}) bit_hamming_ops)
          WHERE cardinality(${column}) = ${dimensions}`;
}

/** SQL of type bit: the signs of a vector's values, as indexed, from an expression of type vector. */
export function signsOf(vector: string, dimensions: number): string {
  return `binary_quantize(${vector})::bit(${dimensions})`;
}

/** Returns the usable version of pgvector, null for none, and the indexed sizes of embeddings. */
export async function vectorSupport(
  by: Pick<EntityManager, 'query'>,
): Promise<{ version: string | null; dimensions: number[] }> {
  const [facts]: [{ version: string | null; dimensions: number[] }] = await by.query(
    `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS version,
            ARRAY(SELECT substring(c.relname from '[0-9]+$')::int FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                   WHERE i.indrelid = to_regclass('index_identities') AND i.indisvalid
                     AND starts_with(c.relname::text, $1)) AS dimensions`,
    [PREFIX],
  );
  const [major = 0, minor = 0] = (facts.version ?? '').split('.').map(Number);
  const recent = major > MIN_VERSION[0] || minor >= MIN_VERSION[1];
  return { version: facts.version !== null && recent ? facts.version : null, dimensions: facts.dimensions };
}
