import { signsOf } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { Neighbour, Neighbourhood, NeighbourSearch, SearchedCollection } from './port.js';

/**
 * Number of identities that are compared fully: it takes milliseconds and is exact. The index covers all collections,
 * so a small one would be hard to find in it.
 */
export const ALL_COMPARED = 2_000;

/**
 * Number of followed candidates (recall against time), and the size from which it doubles; otherwise one in fourteen is
 * missed.
 */
const [FOLLOWED, MANY] = [200, 20_000];

/**
 * Settings that continue the index scan until enough of this collection are found, with a limit, and plan for this
 * collection instead of an average one. `ADIT_INDEX_MEMORY_BYTES=0 npm run bench -- --only face-index` measures recall
 * and time.
 */
const SETTINGS = `SELECT set_config('hnsw.ef_search', $1, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.max_scan_tuples', '60000', true), set_config('plan_cache_mode', 'force_custom_plan', true)`;
/** Candidates with the most similar signs that are compared exactly, in all and per requested neighbour. */
const [COMPARED, COMPARED_FOR_EACH] = [64, 8];

/**
 * Search by pgvector, of a server or of the embedded database. In large collections its index finds the embeddings with
 * the most signs in common, which grow with the cosine (Charikar, "Similarity Estimation Techniques from Rounding
 * Algorithms", 2002); their exact distance decides.
 */
export class PgvectorSearch implements NeighbourSearch {
  readonly name = 'pgvector';

  /** @param indexed dimensions that have an index */
  constructor(private readonly indexed: ReadonlySet<number>) {}

  prepare(): Promise<void> {
    return Promise.resolve();
  }

  async open(manager: EntityManager, { id, dimensions, size }: SearchedCollection): Promise<Neighbourhood> {
    const byIndex = size > ALL_COMPARED && this.indexed.has(dimensions);
    if (byIndex) await manager.query(SETTINGS, [String(size < MANY ? FOLLOWED : 2 * FOLLOWED)]);
    const vector = `vector(${dimensions})`;
    const own = `collection_id = $1 AND cardinality(centroid) = ${dimensions}`;
    const signs = (of: string): string => signsOf(`${of}::${vector}`, dimensions);
    const compared = byIndex
      ? `(SELECT index_id, centroid FROM index_identities WHERE ${own} ORDER BY ${signs('centroid')} <~> ${signs('$2')}
          LIMIT greatest(${COMPARED}, ${COMPARED_FOR_EACH} * $3)) AS compared`
      : `index_identities WHERE ${own}`;
    const statement = `SELECT index_id AS "indexId", centroid::${vector} <-> $2::${vector} AS distance FROM ${compared}
      ORDER BY distance LIMIT $3`;
    return {
      by: this.name,
      nearest: (embedding, limit) => manager.query<Neighbour[]>(statement, [id, `[${embedding.join()}]`, limit]),
      moved: () => undefined,
    };
  }
}
