import { vectorSupport } from '@adit/database';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { MemorySearch } from './memory.js';
import { ALL_COMPARED, PgvectorSearch } from './pgvector.js';
import type { Neighbourhood, NeighbourSearch, SearchedCollection } from './port.js';

const log = createLogger('indexes');
/** The extension may be installed meanwhile. */
const CHOICE_TTL_MS = 60_000;
/** Default of `ADIT_INDEX_MEMORY_BYTES`. */
export const INDEX_MEMORY_BYTES = 192 * 1024 ** 2;

/** Chooses the search by the database: pgvector 0.8 or later together with process memory, else memory alone. */
export class NeighbourSearches {
  private chosen: NeighbourSearch | null = null;
  private memory: MemorySearch | null = null;
  private checkedAt = -Infinity;

  /** @param bytes of memory that large collections may take */
  constructor(private readonly bytes = INDEX_MEMORY_BYTES) {}

  async of(manager: EntityManager): Promise<NeighbourSearch> {
    if (this.chosen !== null && performance.now() - this.checkedAt < CHOICE_TTL_MS) return this.chosen;
    const { version, dimensions } = await vectorSupport(manager);
    this.checkedAt = performance.now();
    const before = this.chosen?.name;
    const memory = this.memoryOf(version !== null);
    this.chosen = version === null ? memory : new LargeInMemory(new PgvectorSearch(new Set(dimensions)), memory);
    if (this.chosen.name !== before) {
      if (version === null) log.warn('the database has no pgvector 0.8 or later: face indexes are searched in memory');
      else log.info({ pgvector: version, dimensions }, 'face indexes are searched by pgvector, large ones in memory');
    }
    return this.chosen;
  }

  private memoryOf(hasVectors: boolean): MemorySearch {
    if (this.memory?.hasVectors === hasVectors) return this.memory;
    void this.memory?.close();
    return (this.memory = new MemorySearch(this.bytes, hasVectors));
  }

  /** Nest's hook. */
  async onApplicationShutdown(): Promise<void> {
    await this.memory?.close();
  }
}

/**
 * Searches small collections by pgvector's full comparison, larger ones in memory, and by pgvector's index while they
 * are loaded.
 */
class LargeInMemory implements NeighbourSearch {
  readonly name = 'pgvector';

  constructor(
    private readonly pgvector: PgvectorSearch,
    private readonly memory: MemorySearch,
  ) {}

  async prepare(manager: EntityManager, collection: SearchedCollection): Promise<void> {
    if (collection.size > ALL_COMPARED) await this.memory.prepare(manager, collection);
  }

  open(manager: EntityManager, collection: SearchedCollection): Promise<Neighbourhood> {
    const inMemory = collection.size > ALL_COMPARED && this.memory.has(manager, collection);
    return (inMemory ? this.memory : this.pgvector).open(manager, collection);
  }
}
