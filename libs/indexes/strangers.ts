import { randomInt } from 'node:crypto';
import type { ModelPin } from '@adit/contracts';
import { DEFAULT_COLLECTION, elementAt } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { ensureDefaultCollection } from './default-collection.js';
import type { NeighbourSearches } from './nearest/choose.js';
import type { Neighbour, Neighbourhood } from './nearest/port.js';

const log = createLogger('indexes');
/** The mean of so many appearances says who somebody is; later ones would only be written. */
const MEMBERS_OF_MEAN = 32;
/** Of one face, when several of a picture are told apart: more of them hardly look like one identity. */
const MOST_NEIGHBOURS = 16;
/** Ten digits, of which the first is no zero. */
const [FIRST_ID, PAST_IDS] = [1_000_000_000, 10_000_000_000];

/** A face nobody knows, to be found in a collection or added to it. */
export interface Stranger {
  collection: string;
  /** Of length 1. */
  embedding: readonly number[];
  /** Who is farther from everybody is somebody new. Euclidean, 0..2. */
  maxDistance: number;
  /** The network that made the embedding. */
  network: Pick<ModelPin, 'name' | 'digest'>;
  picture: { jpeg: Buffer; width: number; height: number } | null;
}

interface Open {
  id: string;
  name: string;
  dimensions: number;
  size: number;
  revision: string;
  shrunk: string;
  embeddingName: string | null;
  embeddingDigest: string | null;
}

/** Its dimensions are null until the first face. */
type Found = Omit<Open, 'dimensions'> & { dimensions: number | null };

interface Held {
  collection: Open;
  around: Neighbourhood;
  revision: bigint;
  size: number;
  changed: boolean;
}

/**
 * Strangers of one transaction. It holds the row of each collection from the first of them on until it ends, so that two jobs
 * that meet one person at the same time come one after the other, and the second finds who the first has added. What is rolled
 * back leaves nothing behind.
 */
export class Strangers {
  private readonly held = new Map<string, Held | null>();
  /** Names of collections that somebody new found no place in. */
  private readonly full = new Set<string>();

  constructor(
    private readonly manager: EntityManager,
    private readonly workspaceId: string,
    private readonly searches: Pick<NeighbourSearches, 'of'>,
    /** Identities that one collection may have. */
    private readonly most = Infinity,
  ) {}

  /**
   * The id of whom it is, or of somebody new. Null when the collection is gone, is full, or holds embeddings of another network:
   * then the face stays unknown.
   */
  async identify(stranger: Stranger): Promise<string | null> {
    return elementAt(await this.identifyApart([stranger]), 0);
  }

  /** The same of different people: of two who are near one identity the nearer is that one. */
  async identifyApart(strangers: readonly Stranger[]): Promise<(string | null)[]> {
    const pairs: { at: number; neighbour: Neighbour }[] = [];
    const heldBy: (Held | null)[] = [];
    for (const [at, stranger] of strangers.entries()) {
      const held = await this.holdFor(stranger);
      heldBy.push(held);
      const most = Math.min(strangers.length, MOST_NEIGHBOURS);
      for (const neighbour of held === null ? [] : await held.around.nearest(stranger.embedding, most)) {
        if (neighbour.distance <= stranger.maxDistance) pairs.push({ at, neighbour });
      }
    }
    const chosen = new Map<number, string>();
    const taken = new Set<string>();
    for (const { at, neighbour } of pairs.sort((a, b) => a.neighbour.distance - b.neighbour.distance)) {
      if (chosen.has(at) || taken.has(neighbour.indexId)) continue;
      chosen.set(at, neighbour.indexId);
      taken.add(neighbour.indexId);
    }
    const ids: (string | null)[] = [];
    for (const [at, stranger] of strangers.entries()) {
      const held = elementAt(heldBy, at);
      const known = chosen.get(at);
      if (held !== null) held.revision += 1n;
      ids.push(
        held === null
          ? null
          : known === undefined
            ? await this.add(held, stranger)
            : await this.seenAgain(held, known, stranger.embedding),
      );
    }
    return ids;
  }

  /** Writes what the collections are now; before the transaction ends. Answers a sentence for each that was full. */
  async flush(): Promise<string[]> {
    for (const held of this.held.values()) {
      if (held?.changed !== true) continue;
      await this.manager.query(
        `UPDATE index_collections SET revision = $2, size = $3, time_updated = now() WHERE id = $1`,
        [held.collection.id, String(held.revision), held.size],
      );
    }
    return [...this.full].map(
      (name) =>
        `The index collection ${name} has ${this.most} identities, as many as it may: people who are new stay unknown. ` +
        'Delete identities, or name another collection.',
    );
  }

  private async holdFor(stranger: Stranger): Promise<Held | null> {
    const { collection: name, embedding, network } = stranger;
    const held = await this.hold(name, stranger);
    if (held === null) return null;
    const { embeddingDigest, dimensions } = held.collection;
    if (embeddingDigest === network.digest && dimensions === embedding.length) return held;
    log.warn({ collection: name, network }, 'faces of another network are not put into a collection');
    return null;
  }

  private async hold(name: string, stranger: Stranger): Promise<Held | null> {
    const before = this.held.get(name);
    if (before !== undefined) return before;
    if (name === DEFAULT_COLLECTION) await ensureDefaultCollection(this.manager, this.workspaceId);
    const search = await this.searches.of(this.manager);
    const seen = await this.find(name);
    if (seen?.dimensions != null) await search.prepare(this.manager, { ...seen, dimensions: seen.dimensions });
    const collection = await this.lock(name, stranger);
    const held =
      collection === null
        ? null
        : {
            collection,
            around: await search.open(this.manager, collection),
            revision: BigInt(collection.revision),
            size: collection.size,
            changed: false,
          };
    this.held.set(name, held);
    return held;
  }

  /** The first face says what embeddings it holds. */
  private async lock(name: string, { network, embedding }: Stranger): Promise<Open | null> {
    const found = await this.find(name, 'FOR UPDATE');
    if (found === undefined) return null;
    const { dimensions } = found;
    if (dimensions !== null) return { ...found, dimensions };
    await this.manager.query(
      `UPDATE index_collections SET embedding_name = $2, embedding_digest = $3, dimensions = $4 WHERE id = $1`,
      [found.id, network.name, network.digest, embedding.length],
    );
    return { ...found, embeddingName: network.name, embeddingDigest: network.digest, dimensions: embedding.length };
  }

  private async find(name: string, how: 'FOR UPDATE' | '' = ''): Promise<Found | undefined> {
    const [found]: Found[] = await this.manager.query(
      `SELECT id, name, dimensions, size, revision, shrunk, embedding_name AS "embeddingName",
              embedding_digest AS "embeddingDigest"
         FROM index_collections WHERE workspace_id = $1 AND name = $2 AND time_deleted IS NULL ${how}`,
      [this.workspaceId, name],
    );
    return found;
  }

  private async seenAgain(held: Held, indexId: string, embedding: readonly number[]): Promise<string> {
    const [row]: { centroid: number[]; members: number }[] = await this.manager.query(
      'SELECT centroid, members FROM index_identities WHERE index_id = $1 AND members < $2',
      [indexId, MEMBERS_OF_MEAN],
    );
    if (row === undefined) return indexId;
    const centroid = unit(row.centroid.map((value, at) => value * row.members + (embedding[at] ?? 0)));
    await this.manager.query(
      `UPDATE index_identities SET centroid = $2::real[], members = members + 1, revision = $3, time_updated = now()
        WHERE index_id = $1`,
      [indexId, centroid, String(held.revision)],
    );
    held.changed = true;
    held.around.moved(indexId, centroid);
    return indexId;
  }

  private async add(held: Held, { embedding, picture }: Stranger): Promise<string | null> {
    if (held.size >= this.most) {
      this.full.add(held.collection.name);
      return null;
    }
    for (;;) {
      const indexId = String(randomInt(FIRST_ID, PAST_IDS));
      const made: unknown[] = await this.manager.query(
        `WITH made AS (
           INSERT INTO index_identities (index_id, collection_id, workspace_id, centroid, members, revision, thumbnail,
                                         thumbnail_width, thumbnail_height, time_created)
           VALUES ($1, $2, $3, $4::real[], 1, $5, $6, $7, $8, clock_timestamp()) ON CONFLICT DO NOTHING RETURNING 1)
         SELECT 1 FROM made`,
        [
          ...[indexId, held.collection.id, this.workspaceId, embedding, String(held.revision)],
          ...[picture?.jpeg ?? null, picture?.width ?? null, picture?.height ?? null],
        ],
      );
      if (made.length === 0) continue;
      held.changed = true;
      held.size += 1;
      held.around.moved(indexId, embedding);
      return indexId;
    }
  }
}

/** Of length 1. */
function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
