import { dropOldest } from '@adit/contracts';
import { inTurns } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import type { Neighbour, Neighbourhood, NeighbourSearch, SearchedCollection } from './port.js';
import { VectorTable } from './vector-table.js';

/** Collections kept in memory; one of 10,000 identities takes 20 MB. */
const KEPT = 8;
/** Rows read together. */
const PART = 2_000;

interface Kept {
  table: VectorTable;
  revision: bigint;
}

interface Row {
  indexId: string;
  centroid: Buffer;
}

/**
 * Compares with every identity, in the memory of the process: for servers without pgvector. Time and memory grow with the
 * collection: 2 kB and a microsecond for each identity.
 */
export class ExactSearch implements NeighbourSearch {
  readonly name = 'exact';
  private readonly kept = new Map<string, Kept>();

  async open(manager: EntityManager, collection: SearchedCollection): Promise<Neighbourhood> {
    const table = await this.committed(manager, collection);
    // What this transaction writes may be rolled back: it is never part of what is kept.
    const own = new VectorTable(collection.dimensions);
    return {
      nearest: async (embedding, limit) => {
        const query = Float32Array.from(embedding);
        const found = [
          ...(await inTurns(own.nearest(query, limit))),
          ...(await inTurns(table.nearest(query, limit + own.size))).filter(({ indexId }) => !own.has(indexId)),
        ];
        return found.sort(nearerFirst).slice(0, limit);
      },
      moved: (indexId, centroid) => own.set(indexId, Float32Array.from(centroid)),
    };
  }

  /** Brought up to the collection's revision, by what has changed since. */
  private async committed(manager: EntityManager, collection: SearchedCollection): Promise<VectorTable> {
    const { id, dimensions } = collection;
    const [revision, shrunk] = [BigInt(collection.revision), BigInt(collection.shrunk)];
    const before = this.kept.get(id);
    const usable = before !== undefined && before.revision >= shrunk;
    const table = usable ? before.table : new VectorTable(dimensions);
    const known = usable ? before.revision : -1n;
    if (known < revision) {
      for (let after = ''; ;) {
        const rows: Row[] = await manager.query(
          `SELECT index_id AS "indexId", array_send(centroid) AS centroid FROM index_identities
            WHERE collection_id = $1 AND revision > $2 AND revision <= $3 AND index_id > $4 AND cardinality(centroid) = $5
            ORDER BY index_id LIMIT $6`,
          [id, String(known), String(revision), after, dimensions, PART],
        );
        for (const row of rows) table.set(row.indexId, floatsOf(row.centroid));
        const last = rows.at(-1);
        if (last === undefined || rows.length < PART) break;
        after = last.indexId;
      }
    }
    this.kept.delete(id);
    this.kept.set(id, { table, revision: known > revision ? known : revision });
    dropOldest(this.kept, KEPT);
    return table;
  }
}

function nearerFirst(a: Neighbour, b: Neighbour): number {
  return a.distance - b.distance;
}

/** Of PostgreSQL's binary form of a one-dimensional real[]: 20 bytes of header, then length and value of each, big-endian. */
function floatsOf(bytes: Buffer): Float32Array {
  const count = (bytes.length - 20) / 8;
  return Float32Array.from({ length: count }, (_, at) => bytes.readFloatBE(24 + 8 * at));
}
