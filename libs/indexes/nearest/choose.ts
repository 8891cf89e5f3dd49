import { vectorSupport } from '@adit/database';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { MemorySearch } from './memory.js';
import { ALL_COMPARED, PgvectorSearch } from './pgvector.js';
import type { Neighbourhood, NeighbourSearch, SearchedCollection } from './port.js';

const log = createLogger('indexes');
/** Somebody may install the extension meanwhile. */
const LOOKED_AT_FOR_MS = 60_000;
/** `ADIT_INDEX_MEMORY_BYTES`, unless it is set. */
export const INDEX_MEMORY_BYTES = 192 * 1024 ** 2;

/** Chooses by what the database has: pgvector 0.8 or later and the memory of the process, else that alone. */
export class NeighbourSearches {
  private chosen: NeighbourSearch | null = null;
  private memory: MemorySearch | null = null;
  private lookedAt = -Infinity;

  /** @param bytes of memory that large collections may take */
  constructor(private readonly bytes = INDEX_MEMORY_BYTES) {}

  async of(manager: EntityManager): Promise<NeighbourSearch> {
    if (this.chosen !== null && performance.now() - this.lookedAt < LOOKED_AT_FOR_MS) return this.chosen;
    const { version, dimensions } = await vectorSupport(manager);
    this.lookedAt = performance.now();
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

/** What pgvector compares whole it is asked for; of more, what is in memory is searched there, and meanwhile the index. */
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
