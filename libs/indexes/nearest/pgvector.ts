import { signsOf } from '@adit/database';
import type { EntityManager } from 'typeorm';
import type { Neighbour, Neighbourhood, NeighbourSearch, SearchedCollection } from './port.js';

/**
 * Up to so many identities are all compared: it takes milliseconds, and nobody is overlooked. The index is one for all
 * collections, in which those of a small one would have to be looked for.
 */
export const ALL_COMPARED = 2_000;

/** How many candidates are followed (recall for time): among so many and more, their number doubles, or one in fourteen is overlooked. */
const [FOLLOWED, MANY] = [200, 20_000];

/**
 * With these the index is gone on with until enough of this collection are found, but not for ever, and a plan is made for this
 * collection, not for one of average size. `ADIT_INDEX_MEMORY_BYTES=0 npm run bench -- --only face-index` measures
 * recall and time.
 */
const SETTINGS = `SELECT set_config('hnsw.ef_search', $1, true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
  set_config('hnsw.max_scan_tuples', '60000', true), set_config('plan_cache_mode', 'force_custom_plan', true)`;
/** Whose signs are the most alike, that are compared exactly; and so many for each that is asked for. */
const [COMPARED, COMPARED_FOR_EACH] = [64, 8];

/**
 * pgvector, of a server or of the embedded database. Of many, its index finds those whose embeddings have the most signs in common
 * with the one that is looked for, which grows with the cosine (Charikar, "Similarity Estimation Techniques from Rounding
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
