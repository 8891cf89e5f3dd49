import { randomInt } from 'node:crypto';
import type { ModelPin } from '@adit/contracts';
import { DEFAULT_COLLECTION, elementAt } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { EntityManager } from 'typeorm';
import { ensureDefaultCollection } from './default-collection.js';
import type { NeighbourSearches } from './nearest/choose.js';
import type { Neighbour, Neighbourhood } from './nearest/port.js';
import { NEXT_REVISION } from './revisions.js';

const log = createLogger('indexes');
/** Number of sightings whose mean represents an identity; further ones change nothing. */
const MEMBERS_OF_MEAN = 32;
/** Number of neighbours considered per face when several of a picture are assigned; more are rarely similar. */
const MAX_NEIGHBOURS = 16;
/** Ten digits, the first of which is not zero. */
const [FIRST_ID, PAST_IDS] = [1_000_000_000, 10_000_000_000];

/** An unknown face, to be found in a collection or added to it. */
export interface UnknownFace {
  collection: string;
  /** Unit vector. */
  embedding: readonly number[];
  /** Distance beyond which a face is a new identity. Euclidean, 0..2. */
  maxDistance: number;
  /** Network of the embedding. */
  network: Pick<ModelPin, 'name' | 'digest'>;
  picture: { jpeg: Buffer; width: number; height: number } | null;
}

interface Found {
  id: string;
  name: string;
  /** Null until the first face. */
  dimensions: number | null;
  size: number;
  revision: string;
  shrunk: string;
  embeddingName: string | null;
  embeddingDigest: string | null;
  /** Revision of the next change. */
  next: string;
}

interface Open {
  collection: Found;
  /** Null for an empty collection. */
  around: Neighbourhood | null;
  /** Revision of the last change, while this transaction locks the row; null when it only searches. */
  held: { revision: bigint; size: number; changed: boolean } | null;
}

/** Known identity of an unknown face, and its collection; null for a collection that does not accept it. */
interface Recognized {
  open: Open | null;
  known: string | null;
}

/** A collection that may be changed. */
type Held = Open & { held: NonNullable<Open['held']> };

/**
 * Unknown faces of one transaction. They are searched while others change the collections. A face that would change
 * something is searched again once the collection's row is locked, until the transaction ends: two jobs that meet one
 * person concurrently are serialised, and the second finds the identity that the first added. A rollback leaves nothing
 * behind.
 */
export class UnknownFaces {
  private readonly opened = new Map<string, Open | null>();
  /** Names of collections that were full for a new identity. */
  private readonly full = new Set<string>();

  constructor(
    private readonly manager: EntityManager,
    private readonly workspaceId: string,
    private readonly searches: Pick<NeighbourSearches, 'of'>,
    /** Quota of identities per collection. */
    private readonly most = Infinity,
  ) {}

  /**
   * Returns the id of a known or new identity. Null when the collection is gone, is full, or holds embeddings of
   * another network: the face then stays unknown.
   */
  async identify(face: UnknownFace): Promise<string | null> {
    return elementAt(await this.identifyApart([face]), 0);
  }

  /** Identifies faces of different people: of two near one identity the nearer gets it. */
  async identifyApart(faces: readonly UnknownFace[]): Promise<(string | null)[]> {
    let seen = await this.recognized(faces);
    if (await this.isSettled(seen)) return seen.map(({ known }) => known);
    const taken = faces.filter((_, at) => elementAt(seen, at).open !== null);
    if (await this.holdAll(taken)) seen = await this.recognized(faces);
    const ids: (string | null)[] = [];
    for (const [at, { open, known }] of seen.entries()) {
      const face = elementAt(faces, at);
      if (open === null || !isHeld(open)) {
        ids.push(null);
        continue;
      }
      open.held.revision += 1n;
      ids.push(known === null ? await this.add(open, face) : await this.seenAgain(open, known, face.embedding));
    }
    return ids;
  }

  /** Writes changed collections; call it before the transaction ends. Returns a sentence for each that was full. */
  async flush(): Promise<string[]> {
    for (const open of this.opened.values()) {
      if (open?.held?.changed !== true) continue;
      await this.manager.query(
        `UPDATE index_collections SET revision = $2, size = $3, time_updated = now() WHERE id = $1`,
        [open.collection.id, String(open.held.revision), open.held.size],
      );
    }
    return [...this.full].map(
      (name) =>
        `The index collection ${name} has ${this.most} identities, as many as it may: people who are new stay unknown. ` +
        'Delete identities, or name another collection.',
    );
  }

  private async recognized(faces: readonly UnknownFace[]): Promise<Recognized[]> {
    const opens: (Open | null)[] = [];
    const pairs: { at: number; neighbour: Neighbour }[] = [];
    for (const [at, face] of faces.entries()) {
      const open = await this.openFor(face);
      opens.push(open);
      const most = Math.min(faces.length, MAX_NEIGHBOURS);
      for (const neighbour of (await open?.around?.nearest(face.embedding, most)) ?? []) {
        if (neighbour.distance <= face.maxDistance) pairs.push({ at, neighbour });
      }
    }
    const chosen = new Map<number, string>();
    const taken = new Set<string>();
    for (const { at, neighbour } of pairs.sort((a, b) => a.neighbour.distance - b.neighbour.distance)) {
      if (chosen.has(at) || taken.has(neighbour.indexId)) continue;
      chosen.set(at, neighbour.indexId);
      taken.add(neighbour.indexId);
    }
    return opens.map((open, at) => ({ open, known: chosen.get(at) ?? null }));
  }

  /**
   * Tests whether nothing has to be written: each face stays unknown, or belongs to an identity with enough sightings.
   * Locks those identities until the transaction ends, so that an erasure waits and finds the results.
   */
  private async isSettled(seen: readonly Recognized[]): Promise<boolean> {
    const taken = seen.filter(({ open }) => open !== null);
    const known = taken.flatMap(({ open, known: indexId }) => (open?.held === null && indexId !== null ? indexId : []));
    if (known.length < taken.length) return false;
    if (known.length === 0) return true;
    const there: unknown[] = await this.manager.query(
      `SELECT 1 FROM index_identities WHERE index_id = ANY($1::text[]) AND members >= $2 ORDER BY index_id FOR KEY SHARE`,
      [known, MEMBERS_OF_MEAN],
    );
    return there.length === known.length;
  }

  private async openFor(face: UnknownFace): Promise<Open | null> {
    const { collection: name, embedding, network } = face;
    const before = this.opened.get(name);
    const open = before === undefined ? await this.open(name) : before;
    this.opened.set(name, open);
    if (open === null) return null;
    const { embeddingDigest, dimensions } = open.collection;
    if (dimensions === null || (embeddingDigest === network.digest && dimensions === embedding.length)) return open;
    log.warn({ collection: name, network }, 'faces of another network are not put into a collection');
    return null;
  }

  private async open(name: string): Promise<Open | null> {
    if (name === DEFAULT_COLLECTION) await ensureDefaultCollection(this.manager, this.workspaceId);
    const collection = await this.find(name);
    if (collection === undefined) return null;
    const { dimensions } = collection;
    if (dimensions === null) return { collection, around: null, held: null };
    const search = await this.searches.of(this.manager);
    await search.prepare(this.manager, { ...collection, dimensions });
    return { collection, around: await search.open(this.manager, { ...collection, dimensions }), held: null };
  }

  /** Locks the collections of unknown faces, always in one order. Returns whether any was not locked before. */
  private async holdAll(faces: readonly UnknownFace[]): Promise<boolean> {
    const first = new Map([...faces].reverse().map((face) => [face.collection, face]));
    const wanted = [...first].filter(([name]) => this.opened.get(name)?.held === null);
    for (const [name, face] of wanted.sort(([a], [b]) => (a < b ? -1 : 1))) {
      this.opened.set(name, await this.hold(name, face));
    }
    return wanted.length > 0;
  }

  /** The first face determines the embeddings of a collection. Null when it is gone. */
  private async hold(name: string, { network, embedding }: UnknownFace): Promise<Open | null> {
    const found = await this.find(name, 'FOR UPDATE');
    if (found === undefined) return null;
    const dimensions = found.dimensions ?? embedding.length;
    const collection =
      found.dimensions === null
        ? { ...found, embeddingName: network.name, embeddingDigest: network.digest, dimensions }
        : found;
    if (found.dimensions === null) {
      await this.manager.query(
        `UPDATE index_collections SET embedding_name = $2, embedding_digest = $3, dimensions = $4 WHERE id = $1`,
        [found.id, network.name, network.digest, dimensions],
      );
    }
    const search = await this.searches.of(this.manager);
    const around = await search.open(this.manager, { ...collection, dimensions });
    return { collection, around, held: { revision: BigInt(found.next) - 1n, size: found.size, changed: false } };
  }

  private async find(name: string, how: 'FOR UPDATE' | '' = ''): Promise<Found | undefined> {
    const [found]: Found[] = await this.manager.query(
      `SELECT id, name, dimensions, size, revision, shrunk, embedding_name AS "embeddingName",
              embedding_digest AS "embeddingDigest", ${NEXT_REVISION} AS next
         FROM index_collections WHERE workspace_id = $1 AND name = $2 AND time_deleted IS NULL ${how}`,
      [this.workspaceId, name],
    );
    return found;
  }

  private async seenAgain({ held, around }: Held, indexId: string, embedding: readonly number[]): Promise<string> {
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
    around?.moved(indexId, centroid);
    return indexId;
  }

  private async add({ collection, held, around }: Held, { embedding, picture }: UnknownFace): Promise<string | null> {
    if (held.size >= this.most) {
      this.full.add(collection.name);
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
          ...[indexId, collection.id, this.workspaceId, embedding, String(held.revision)],
          ...[picture?.jpeg ?? null, picture?.width ?? null, picture?.height ?? null],
        ],
      );
      if (made.length === 0) continue;
      held.changed = true;
      held.size += 1;
      around?.moved(indexId, embedding);
      return indexId;
    }
  }
}

function isHeld(open: Open): open is Held {
  return open.held !== null;
}

/** Normalises to length 1. */
function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
