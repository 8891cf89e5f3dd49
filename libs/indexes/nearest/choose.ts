import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { ExactSearch } from './exact.js';
import { PgvectorSearch } from './pgvector.js';
import type { NeighbourSearch } from './port.js';

const log = createLogger('indexes');
/** Somebody may install the extension meanwhile. */
const LOOKED_AT_FOR_MS = 60_000;
/** Earlier ones stop an index scan before enough of one collection are found. */
const OLDEST = [0, 8] as const;

/** Chooses by what the database has: pgvector 0.8 or later, else everything is compared. */
export class NeighbourSearches {
  private readonly exact = new ExactSearch();
  private chosen: NeighbourSearch | null = null;
  private lookedAt = -Infinity;

  async of(manager: EntityManager): Promise<NeighbourSearch> {
    if (this.chosen !== null && performance.now() - this.lookedAt < LOOKED_AT_FOR_MS) return this.chosen;
    const { version, dimensions } = await vectorSupport(manager);
    const before = this.chosen?.name;
    this.chosen = version === null ? this.exact : new PgvectorSearch(new Set(dimensions));
    this.lookedAt = performance.now();
    if (this.chosen.name !== before) {
      if (version === null) log.warn('the database has no pgvector 0.8 or later: face indexes are searched in memory');
      else log.info({ pgvector: version, dimensions }, 'face indexes are searched by pgvector');
    }
    return this.chosen;
  }
}

/** The version of pgvector that can be used, null for none, and the dimensions that are indexed. */
export async function vectorSupport(
  manager: Pick<EntityManager, 'query'>,
): Promise<{ version: string | null; dimensions: number[] }> {
  const [facts]: [{ version: string | null; dimensions: number[] }] = await manager.query(
    `SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector') AS version,
            ARRAY(SELECT substring(c.relname from '[0-9]+$')::int FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                   WHERE i.indrelid = 'index_identities'::regclass AND i.indisvalid
                     AND c.relname LIKE 'index\\_identities\\_hnsw\\_%') AS dimensions`,
  );
  const [major = 0, minor = 0] = (facts.version ?? '').split('.').map(Number);
  const recent = major > OLDEST[0] || minor >= OLDEST[1];
  return { version: facts.version !== null && recent ? facts.version : null, dimensions: facts.dimensions };
}
