import { AditError, dropOldest } from '@adit/contracts';
import { outsideTransaction } from '@adit/database';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import type { Neighbour, Neighbourhood, NeighbourSearch, SearchedCollection } from './port.js';
import { ID_LENGTH, type RowForm } from './sign-requests.js';
import { SignThread } from './sign-thread.js';

const log = createLogger('indexes');
/** Whose signs are the most alike, that are compared exactly; and so many for each that is asked for. */
const [COMPARED, COMPARED_FOR_EACH] = [128, 8];
/** More of them when that many are gone, until there are enough. */
const MORE = 8;
/** Rows read together: their signs are 0.1 MB, their embeddings 1 MB. */
const ROWS_READ = { bits: 2_000, reals: 250 } as const;
/** Bytes of an identity beside its signs: its id, its place, and the distance that was found. */
const BYTES_BESIDE = 30;
/** One that was searched so lately does not make room for another: two that do not fit would be read in turns. */
const STAYS_MS = 60_000;
const RENEWED_MS = 60_000;
/** What could not be read is tried again. */
const TRIED_AGAIN_MS = 60_000;
const MOST_TOLD = 1_000;
/** Nobody searched it for so long. */
const FORGOTTEN_MS = 600_000;

type Database = Pick<EntityManager, 'query'>;

interface Kept {
  table: number;
  /** Of the database, in which it was read. */
  life: string;
  /** Up to which it holds what changed, and as of which somebody may have gone. */
  revision: bigint;
  shrunk: bigint;
  bytes: number;
  readAt: number;
  searchedAt: number;
  isRenewed: boolean;
  /** Brought up to date one after the other. */
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
 * Compares the signs of all embeddings, in memory, and of those who have the most in common with the one that is looked for the
 * embeddings, in the database: who is not there any more, or not yet for this transaction, is not found. Signs in common grow with
 * the cosine (Charikar, "Similarity Estimation Techniques from Rounding Algorithms", 2002). They are read when a collection is
 * searched first, and what has changed since before each search.
 */
export class MemorySearch implements NeighbourSearch {
  readonly name = 'memory';
  private readonly kept = new Map<string, Kept>();
  /** What transactions read that wait for it, and what is read behind them. */
  private readonly reading = new Map<string, Promise<Kept>>();
  private readonly readBehind = new Map<string, Promise<Kept>>();
  private readonly told = new Set<string>();
  private readonly failedAt = new Map<string, number>();
  private readonly thread = new SignThread(() => this.kept.clear());
  private readonly forgetting = setInterval(() => this.forget(), STAYS_MS).unref();
  private isClosed = false;

  /**
   * @param bytes that collections may take together
   * @param hasVectors whether the database has pgvector, which is faster to ask
   * @param renewedMs after which a collection that somebody is gone from is read anew; until then the database says who is there
   */
  constructor(
    private readonly bytes: number,
    readonly hasVectors: boolean,
    private readonly renewedMs = RENEWED_MS,
  ) {}

  /** Whether a collection is in memory. One that is not is read meanwhile, if there is room for it. */
  has({ dataSource }: EntityManager, collection: SearchedCollection): boolean {
    const { id } = collection;
    const kept = this.kept.get(id);
    if (kept !== undefined) {
      kept.bytes = bytesOf(collection);
      if (this.makeRoom(0)) return true;
      this.drop(id);
      return false;
    }
    const isTried = performance.now() - (this.failedAt.get(id) ?? -Infinity) < TRIED_AGAIN_MS;
    if (this.readBehind.has(id) || isTried || !this.hasRoom(collection)) return false;
    outsideTransaction(() => this.read(this.readBehind, dataSource.manager, collection)).catch((error: unknown) => {
      this.failedAt.set(id, performance.now());
      if (!this.isClosed) log.warn({ err: error, collection: id }, 'a face index could not be read into memory');
    });
    return false;
  }

  /** Reads one that is not in memory, if there is room for it, by the transaction's own session: it may be the only one. */
  async prepare(manager: EntityManager, collection: SearchedCollection): Promise<void> {
    if ((await this.sameLife(manager, collection)) !== undefined || !this.hasRoom(collection)) return;
    await this.read(this.reading, manager, collection);
  }

  async open(manager: EntityManager, collection: SearchedCollection): Promise<Neighbourhood> {
    if (this.isClosed) throw ended();
    const { id, dimensions } = collection;
    const kept = (await this.sameLife(manager, collection)) ?? (await this.read(this.reading, manager, collection));
    const table = await this.upToDate(manager, collection, kept);
    this.renew(manager, collection, kept);
    // What this transaction writes may be rolled back: it is never part of what is kept.
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

  /** Gives the memory back. Whoever searches afterwards gets an error. */
  async close(): Promise<void> {
    this.isClosed = true;
    clearInterval(this.forgetting);
    await Promise.allSettled([...this.reading.values(), ...this.readBehind.values()]);
    this.kept.clear();
    await this.thread.end();
  }

  /**
   * What is kept of a collection, unless the server has begun another life since it was read: the one that took over may not have
   * all that was committed before, and signs of what it lost may be among those that are kept.
   */
  private async sameLife(manager: EntityManager, { id }: SearchedCollection): Promise<Kept | undefined> {
    const kept = this.kept.get(id);
    if (kept === undefined || kept.life === (await lifeOf(manager))) return kept;
    log.info({ collection: id }, 'the database began another life: a face index is read anew');
    if (this.kept.get(id) === kept) this.drop(id);
    return this.kept.get(id);
  }

  /** The table to search, which has what the transaction sees of the collection. */
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

  /** All of a collection; once for all who ask meanwhile. */
  private read(readings: Map<string, Promise<Kept>>, by: Database, collection: SearchedCollection): Promise<Kept> {
    const { id } = collection;
    const others = readings.get(id);
    if (others !== undefined) return others;
    this.makeRoom(bytesOf(collection));
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

  /** Those that somebody has gone from are read anew, so that nothing of whom was erased stays in memory. */
  private renew({ dataSource }: EntityManager, collection: SearchedCollection, kept: Kept): void {
    const isDue = performance.now() - kept.readAt >= this.renewedMs;
    if (BigInt(collection.shrunk) <= kept.shrunk || kept.isRenewed || !isDue) return;
    kept.isRenewed = true;
    outsideTransaction(() => this.readTable(dataSource.manager, collection))
      .then((read) => {
        // Without a query: whoever waits for this turn may hold the only session there is.
        kept.turn = kept.turn.then(() => {
          const before = kept.table;
          Object.assign(kept, { ...read, shrunk: BigInt(collection.shrunk) });
          setTimeout(() => this.thread.drop(before), STAYS_MS).unref();
        });
      })
      .catch((error: unknown) => {
        if (!this.isClosed) log.warn({ err: error, collection: collection.id }, 'a face index could not be read anew');
      })
      .finally(() => Object.assign(kept, { readAt: performance.now(), isRenewed: false }));
  }

  /** Sets what has changed after one revision up to another. */
  private async take(by: Database, collection: SearchedCollection, table: number, after: bigint, upTo: bigint) {
    const { id, dimensions } = collection;
    const form: RowForm = this.hasVectors ? 'bits' : 'reals';
    const statement = pageStatement(form, dimensions);
    const { generation } = this.thread;
    for (let [revision, lastId] = [String(after + 1n), '']; ;) {
      if (this.isClosed) throw ended();
      const parameters = [id, revision, lastId, String(upTo), ROWS_READ[form]];
      const [page]: [Page] = await by.query(statement, parameters);
      if (generation !== this.thread.generation) throw new AditError('UNAVAILABLE', 'What was read is lost.');
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

  /** Says so once of one that has none. */
  private hasRoom(collection: SearchedCollection): boolean {
    if (this.makeRoom(bytesOf(collection))) return true;
    const { id, size } = collection;
    if (!this.told.has(id))
      log.warn(
        { collection: id, size },
        'a face index has no room in ADIT_INDEX_MEMORY_BYTES: it is searched by pgvector',
      );
    this.told.add(id);
    dropOldest(this.told, MOST_TOLD);
    return false;
  }

  /** Takes out those that were not searched for longest, until there is room. False when those that stay leave none. */
  private makeRoom(wanted: number): boolean {
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
  return new AditError('UNAVAILABLE', 'Face indexes are not searched any more: the process ends.');
}

/** Another one at each start of a server, also of one that takes over from another. */
async function lifeOf(by: Database): Promise<string> {
  const [{ life }]: [{ life: string }] = await by.query(
    'SELECT extract(epoch FROM pg_postmaster_start_time())::text AS life',
  );
  return life;
}

function bytesOf({ size, dimensions }: SearchedCollection): number {
  return size * (dimensions / 8 + BYTES_BESIDE);
}

/** One row for many: as text and bytes they cost the event loop next to nothing. */
function pageStatement(form: RowForm, dimensions: number): string {
  const row = form === 'bits' ? `bit_send(binary_quantize(centroid::vector(${dimensions})))` : 'array_send(centroid)';
  return `SELECT count(*)::int AS count, coalesce(string_agg(index_id, '' ORDER BY revision, index_id), '') AS ids,
      coalesce(string_agg(${row}, '' ORDER BY revision, index_id), '') AS rows, max(revision) AS revision
    FROM (SELECT index_id, revision, centroid FROM index_identities
           WHERE collection_id = $1 AND revision >= $2 AND (revision > $2 OR index_id > $3) AND revision <= $4
           ORDER BY revision, index_id LIMIT $5) AS page`;
}
