import { vectorSupport } from '@adit/database';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { ExactSearch } from './exact.js';
import { PgvectorSearch } from './pgvector.js';
import type { NeighbourSearch } from './port.js';

const log = createLogger('indexes');
/** Somebody may install the extension meanwhile. */
const LOOKED_AT_FOR_MS = 60_000;

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
