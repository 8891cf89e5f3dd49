import { AditError, dropOldest } from '@adit/contracts';
import { outsideTransaction } from '@adit/database';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import type { Neighbour, Neighbourhood, NeighbourSearch, SearchedCollection } from './port.js';
import { ID_LENGTH, type RowForm } from './sign-requests.js';
import { SignThread } from './sign-thread.js';

const log = createLogger('indexes');
/** Candidates with the most similar signs that are compared exactly, in all and per requested neighbour. */
const [COMPARED, COMPARED_FOR_EACH] = [128, 8];
/** Factor for more candidates when that many are gone, until there are enough. */
const MORE = 8;
/** Rows per read: 0.1 MB of signs, or 1 MB of embeddings. */
const ROWS_READ = { bits: 2_000, reals: 250 } as const;
/** Bytes per identity beside its signs: its id, its position, and the found distance. */
const BYTES_BESIDE = 30;
/** A collection searched this recently is not evicted: two that do not fit would alternate. */
const STAYS_MS = 60_000;
const RENEWED_MS = 60_000;
/** Milliseconds before a failed load is retried. */
const TRIED_AGAIN_MS = 60_000;
const MAX_LOGGED = 1_000;
/** Milliseconds without a search after which a collection is evicted. */
const FORGOTTEN_MS = 600_000;

type Database = Pick<EntityManager, 'query'>;

interface Kept {
  table: number;
  /** Life of the database server when it was loaded. */
  life: string;
  /** Revision up to which it is current, and the one of the last removal it reflects. */
  revision: bigint;
  shrunk: bigint;
  bytes: number;
  readAt: number;
  searchedAt: number;
  isRenewed: boolean;
  /** Serialises updates. */
  turn: Promise<unknown>;
}

type ReadTable = Pick<Kept, 'table' | 'life' | 'revision'>;

interface Page {
  count: number;
  ids: string;
  rows: Buffer;
  revision: string;
}

/**
 * Searches collections in memory: compares the signs of all embeddings, then reads the embeddings of the best
 * candidates from the database, so that removed identities, and those invisible to the transaction, are not found.
 * Common signs grow with the cosine (Charikar, "Similarity Estimation Techniques from Rounding Algorithms", 2002). A
 * collection is loaded at its first search, and updated before each one.
 */
export class MemorySearch implements NeighbourSearch {
  readonly name = 'memory';
  private readonly kept = new Map<string, Kept>();
  /** Loads that transactions wait for, and loads in the background. */
  private readonly reading = new Map<string, Promise<Kept>>();
  private readonly readBehind = new Map<string, Promise<Kept>>();
  private readonly logged = new Set<string>();
  private readonly failedAt = new Map<string, number>();
  private readonly thread = new SignThread(() => this.kept.clear());
  private readonly forgetting = setInterval(() => this.forget(), STAYS_MS).unref();
  private isClosed = false;

  /**
   * @param bytes that collections may take together
   * @param hasVectors the database has pgvector, which is faster to read
   * @param renewedMs after which a collection with removals is reloaded; until then the database tells who exists
   */
  constructor(
    private readonly bytes: number,
    readonly hasVectors: boolean,
    private readonly renewedMs = RENEWED_MS,
  ) {}

  /** Tests whether a collection is in memory. Otherwise it is loaded in the background, if there is space. */
  has({ dataSource }: EntityManager, collection: SearchedCollection): boolean {
    const { id } = collection;
    const kept = this.kept.get(id);
    if (kept !== undefined) {
      kept.bytes = bytesOf(collection);
      if (this.evict(0)) return true;
      this.drop(id);
      return false;
    }
    const isTried = performance.now() - (this.failedAt.get(id) ?? -Infinity) < TRIED_AGAIN_MS;
    if (this.readBehind.has(id) || isTried || !this.hasSpace(collection)) return false;
    outsideTransaction(() => this.read(this.readBehind, dataSource.manager, collection)).catch((error: unknown) => {
      this.failedAt.set(id, performance.now());
      if (!this.isClosed) log.warn({ err: error, collection: id }, 'a face index could not be read into memory');
    });
    return false;
  }

  /**
   * Loads a collection that is not in memory, if there is space, in the transaction's own session, which may be the
   * only one.
   */
  async prepare(manager: EntityManager, collection: SearchedCollection): Promise<void> {
    if ((await this.sameLife(manager, collection)) !== undefined || !this.hasSpace(collection)) return;
    await this.read(this.reading, manager, collection);
  }

  async open(manager: EntityManager, collection: SearchedCollection): Promise<Neighbourhood> {
    if (this.isClosed) throw ended();
    const { id, dimensions } = collection;
    const kept = (await this.sameLife(manager, collection)) ?? (await this.read(this.reading, manager, collection));
    const table = await this.upToDate(manager, collection, kept);
    this.renew(manager, collection, kept);
    // This transaction may be rolled back, so its writes never enter the cache.
    const own = new Set<string>();
    const statement = this.comparison(dimensions);
    return {
      by: this.name,
      nearest: async (embedding, limit) => {
        const vector = this.hasVectors ? `[${embedding.join()}]` : `{${embedding.join()}}`;
        for (let count = Math.max(COMPARED, COMPARED_FOR_EACH * limit); ; count *= MORE) {
          kept.searchedAt = performance.now();
          const alike = await this.thread.nearest(table, embedding, count);
          const ids = [...new Set([...alike, ...own])];
          const found: Neighbour[] = await manager.query(statement, [id, vector, ids, limit]);
          if (found.length === limit || alike.length < count) return found;
        }
      },
      moved: (indexId) => own.add(indexId),
    };
  }

  /** Frees the memory. Later searches fail. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.forgetting);
    await Promise.allSettled([...this.reading.values(), ...this.readBehind.values()]);
    this.kept.clear();
    await this.thread.end();
  }

  /**
   * Returns the cached collection, unless the server was restarted or replaced since: a new server may lack commits,
   * and the cache may contain them.
   */
  private async sameLife(manager: EntityManager, { id }: SearchedCollection): Promise<Kept | undefined> {
    const kept = this.kept.get(id);
    if (kept === undefined || kept.life === (await lifeOf(manager))) return kept;
    log.info({ collection: id }, 'the database was restarted or replaced; a face index is reloaded');
    if (this.kept.get(id) === kept) this.drop(id);
    return this.kept.get(id);
  }

  /** Returns the table to search, updated to the transaction's view of the collection. */
  private async upToDate(manager: EntityManager, collection: SearchedCollection, kept: Kept): Promise<number> {
    const revision = BigInt(collection.revision);
    const turn = kept.turn.then(async () => {
      if (kept.revision < revision) {
        await this.take(manager, collection, kept.table, kept.revision, revision);
        kept.revision = revision;
      }
      return kept.table;
    });
    kept.turn = turn.catch(() => undefined);
    return turn;
  }

  /** Loads a whole collection, once for concurrent callers. */
  private read(readings: Map<string, Promise<Kept>>, by: Database, collection: SearchedCollection): Promise<Kept> {
    const { id } = collection;
    const others = readings.get(id);
    if (others !== undefined) return others;
    this.evict(bytesOf(collection));
    const reading = this.readTable(by, collection)
      .then((read) => this.keep(collection, read))
      .finally(() => readings.delete(id));
    readings.set(id, reading);
    return reading;
  }

  private keep(collection: SearchedCollection, read: ReadTable): Kept {
    const before = this.kept.get(collection.id);
    if (before !== undefined) {
      this.thread.drop(read.table);
      return before;
    }
    const now = performance.now();
    const kept: Kept = {
      ...{ ...read, shrunk: BigInt(collection.shrunk), bytes: bytesOf(collection) },
      ...{ readAt: now, searchedAt: now, isRenewed: false, turn: Promise.resolve() },
    };
    this.kept.set(collection.id, kept);
    return kept;
  }

  private async readTable(by: Database, collection: SearchedCollection): Promise<ReadTable> {
    const table = this.thread.make();
    const revision = BigInt(collection.revision);
    const began = performance.now();
    let life: string;
    try {
      life = await lifeOf(by);
      await this.take(by, collection, table, -1n, revision);
    } catch (error) {
      this.thread.drop(table);
      throw error;
    }
    const seconds = (performance.now() - began) / 1000;
    log.debug({ collection: collection.id, size: collection.size, seconds }, 'a face index was read into memory');
    return { table, life, revision };
  }

  /** Reloads collections with removals, so that nothing of erased identities stays in memory. */
  private renew({ dataSource }: EntityManager, collection: SearchedCollection, kept: Kept): void {
    const isDue = performance.now() - kept.readAt >= this.renewedMs;
    if (BigInt(collection.shrunk) <= kept.shrunk || kept.isRenewed || !isDue) return;
    kept.isRenewed = true;
    outsideTransaction(() => this.readTable(dataSource.manager, collection))
      .then((read) => {
        // Without a query: the waiting caller may hold the only session.
        kept.turn = kept.turn.then(() => {
          const before = kept.table;
          Object.assign(kept, { ...read, shrunk: BigInt(collection.shrunk) });
          setTimeout(() => this.thread.drop(before), STAYS_MS).unref();
        });
      })
      .catch((error: unknown) => {
        if (!this.isClosed)
          log.warn(
            { err: error, collection: collection.id },
            'a face index could not be reloaded; the earlier one stays in use',
          );
      })
      .finally(() => Object.assign(kept, { readAt: performance.now(), isRenewed: false }));
  }

  /** Applies the changes after one revision up to another. */
  private async take(by: Database, collection: SearchedCollection, table: number, after: bigint, upTo: bigint) {
    const { id, dimensions } = collection;
    const form: RowForm = this.hasVectors ? 'bits' : 'reals';
    const statement = pageStatement(form, dimensions);
    const { generation } = this.thread;
    for (let [revision, lastId] = [String(after + 1n), '']; ;) {
      if (this.isClosed) throw ended();
      const parameters = [id, revision, lastId, String(upTo), ROWS_READ[form]];
      const [page]: [Page] = await by.query(statement, parameters);
      if (generation !== this.thread.generation)
        throw new AditError('UNAVAILABLE', 'A face index was lost while it was loaded. Try again.');
      this.thread.set(table, dimensions, page.ids, page.rows, form);
      if (page.count < ROWS_READ[form]) return;
      [revision, lastId] = [page.revision, page.ids.slice(-ID_LENGTH)];
    }
  }

  private comparison(dimensions: number): string {
    const vector = `vector(${dimensions})`;
    const distance = this.hasVectors
      ? `centroid::${vector} <-> $2::${vector}`
      : '(SELECT sqrt(sum((a - b) * (a - b)))::float8 FROM unnest(centroid, $2::real[]) AS pair (a, b))';
    return `SELECT index_id AS "indexId", ${distance} AS distance FROM index_identities
      WHERE index_id = ANY($3) AND collection_id = $1 ORDER BY distance LIMIT $4`;
  }

  /** Logs once when a collection has no space. */
  private hasSpace(collection: SearchedCollection): boolean {
    if (this.evict(bytesOf(collection))) return true;
    const { id, size } = collection;
    if (!this.logged.has(id))
      log.warn(
        { collection: id, size },
        'a face index does not fit into ADIT_INDEX_MEMORY_BYTES; it is searched by pgvector',
      );
    this.logged.add(id);
    dropOldest(this.logged, MAX_LOGGED);
    return false;
  }

  /** Evicts the least recently searched, until there is space. False when too much is in use. */
  private evict(wanted: number): boolean {
    let taken = wanted;
    for (const { bytes } of this.kept.values()) taken += bytes;
    const oldest = [...this.kept].sort(([, a], [, b]) => a.searchedAt - b.searchedAt);
    for (const [id, { bytes, searchedAt }] of oldest) {
      if (taken <= this.bytes || performance.now() - searchedAt < STAYS_MS) break;
      this.drop(id);
      taken -= bytes;
    }
    return taken <= this.bytes;
  }

  private forget(): void {
    for (const [id, { searchedAt }] of this.kept) if (performance.now() - searchedAt > FORGOTTEN_MS) this.drop(id);
    for (const [id, at] of this.failedAt) if (performance.now() - at > TRIED_AGAIN_MS) this.failedAt.delete(id);
    if (this.kept.size + this.reading.size + this.readBehind.size === 0) void this.thread.end();
  }

  private drop(id: string): void {
    const kept = this.kept.get(id);
    this.kept.delete(id);
    if (kept !== undefined) this.thread.drop(kept.table);
  }
}

function ended(): AditError {
  return new AditError('UNAVAILABLE', 'The process is shutting down and searches no face indexes. Try again.');
}

/** Identifies a server's life: it differs after each start, also of a replacement. */
async function lifeOf(by: Database): Promise<string> {
  const [{ life }]: [{ life: string }] = await by.query(
    'SELECT extract(epoch FROM pg_postmaster_start_time())::text AS life',
  );
  return life;
}

function bytesOf({ size, dimensions }: SearchedCollection): number {
  return size * (dimensions / 8 + BYTES_BESIDE);
}

/** One row for many identities: text and bytes cost the event loop next to nothing. */
function pageStatement(form: RowForm, dimensions: number): string {
  const row = form === 'bits' ? `bit_send(binary_quantize(centroid::vector(${dimensions})))` : 'array_send(centroid)';
  return `SELECT count(*)::int AS count, coalesce(string_agg(index_id, '' ORDER BY revision, index_id), '') AS ids,
      coalesce(string_agg(${row}, '' ORDER BY revision, index_id), '') AS rows, max(revision) AS revision
    FROM (SELECT index_id, revision, centroid FROM index_identities
           WHERE collection_id = $1 AND revision >= $2 AND (revision > $2 OR index_id > $3) AND revision <= $4
           ORDER BY revision, index_id LIMIT $5) AS page`;
}
