import type { EntityManager } from 'typeorm';
import type { Neighbour, Neighbourhood, NeighbourSearch, SearchedCollection } from './port.js';

/**
 * Up to so many identities are all compared: it takes milliseconds, and nobody is overlooked. The index is one for all
 * collections, in which those of a small one would have to be looked for.
 */
const ALL_COMPARED = 2_000;

/**
 * How many candidates are followed (recall for time), that it goes on until enough of this collection are found, and how long;
 * and that a plan is made for this collection, not for one of average size. `npm run bench -- --only face-index` measures both.
 */
const SETTINGS = `SELECT set_config('hnsw.ef_search', '120', true), set_config('hnsw.iterative_scan', 'strict_order', true),
  set_config('hnsw.max_scan_tuples', '60000', true), set_config('plan_cache_mode', 'force_custom_plan', true)`;

/** pgvector, of a server or of the embedded database: by its index over half floats where there is one, then by the exact distance. */
export class PgvectorSearch implements NeighbourSearch {
  readonly name = 'pgvector';

  /** @param indexed dimensions that have an index */
  constructor(private readonly indexed: ReadonlySet<number>) {}

  async open(manager: EntityManager, { id, dimensions, size }: SearchedCollection): Promise<Neighbourhood> {
    const byIndex = size > ALL_COMPARED && this.indexed.has(dimensions);
    if (byIndex) await manager.query(SETTINGS);
    const exact = `centroid::vector(${dimensions}) <-> $2::vector(${dimensions})`;
    const order = byIndex ? `centroid::halfvec(${dimensions}) <-> $2::halfvec(${dimensions})` : exact;
    const statement = `SELECT index_id AS "indexId", ${exact} AS distance FROM index_identities
      WHERE collection_id = $1 AND cardinality(centroid) = ${dimensions} ORDER BY ${order} LIMIT $3`;
    return {
      nearest: async (embedding, limit) => {
        const rows: Neighbour[] = await manager.query(statement, [id, `[${embedding.join()}]`, limit]);
        return rows.sort((a, b) => a.distance - b.distance);
      },
      moved: () => undefined,
    };
  }
}
