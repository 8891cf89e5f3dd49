import { AditError, dropOldest, elementAt } from '@adit/contracts';
import { atOnce, inTimeSlices } from '@adit/runtime';
import { Bundles, type Row } from './bundles.js';
import { bytesOf, distanceOf, dot } from './embedding.js';
import type { Gallery } from './gallery.js';

/** A candidate person: a class of a gallery, or the classes of several galleries with one label. */
export interface Person {
  label: string;
  /** Only for galleries that a user built. */
  classId: string | null;
}

/** JSON, since it is part of the fold's state. `distance` is ‖a − b‖ to the nearest of the person's rows, 0..2. */
export type Match = {
  /** Index in `persons`. */
  person: number;
  distance: number;
};

/** Rows compared per time slice: about a millisecond. */
const ROWS_PER_SLICE = 1024;
const MAX_KNOWN = 4096;
/** Number of rows that are compared exhaustively; of more, those of this many bundles with the most similar signs. */
const [ALL_COMPARED, BUNDLES_COMPARED] = [4096, 64];

/**
 * All galleries of a job as one flat matrix. With few rows a query is compared with every one. With many it finds
 * matches within the distance of a known face as reliably (the recall is in README.md of face_recognition), and may
 * miss the nearest of those beyond.
 */
export class Matcher {
  readonly persons: Person[] = [];
  private readonly parts: { vectors: Float32Array; rowPersons: number[] }[] = [];
  private readonly rowsOf = new Map<number, Row[]>();
  private bundles: Bundles | null = null;
  private dimensions: number | null = null;
  private rowCount = 0;
  /** Answers by query, for the folds in progress. */
  private readonly known = new Map<string, Match[]>();
  /** Searches of a rehearsed call; null otherwise. */
  private missing: Map<string, { query: Float32Array; k: number }> | null = null;

  constructor(readonly galleries: readonly Gallery[]) {
    for (const gallery of galleries) this.add(gallery);
  }

  /** Distance up to which one of the galleries matches, by the user's network that made them; null for Adit's. */
  get maxDistance(): number | null {
    const distances = this.galleries.flatMap(({ maxDistance }) => maxDistance ?? []);
    return distances.length === 0 ? null : Math.min(...distances);
  }

  /** Returns the `k` nearest people, nearest first; ties in the order of the galleries. `query` has length 1. */
  nearest(query: Float32Array, k: number): Match[] {
    this.checkLength(query);
    if (this.rowCount <= ROWS_PER_SLICE) return atOnce(this.search(query, k));
    const key = `${k} ${bytesOf(query).toString('base64')}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.missing === null) return atOnce(this.search(query, k));
    this.missing.set(key, { query, k });
    return [];
  }

  /**
   * Searches ahead everything that `call` will search, in time slices. The call, which must be pure, is made without
   * answers to collect the searches, and again, since an answer may lead to another search.
   */
  async prepare(call: () => unknown): Promise<void> {
    if (this.rowCount <= ROWS_PER_SLICE) return;
    for (;;) {
      const missing = this.searchesOf(call);
      if (missing.size === 0) return;
      for (const [key, { query, k }] of missing) {
        const found = await inTimeSlices(this.search(query, k));
        this.known.set(key, found);
        dropOldest(this.known, MAX_KNOWN);
      }
      // Searches beyond the cache's limit run when they are requested.
      if (missing.size >= MAX_KNOWN) return;
    }
  }

  private searchesOf(call: () => unknown): Map<string, { query: Float32Array; k: number }> {
    const missing = new Map<string, { query: Float32Array; k: number }>();
    this.missing = missing;
    try {
      call();
    } catch {
      // The call may fail without answers; with answers the caller gets the error.
    } finally {
      this.missing = null;
    }
    return missing;
  }

  private *search(query: Float32Array, k: number): Generator<void, Match[]> {
    const best = this.rowCount <= ALL_COMPARED ? yield* this.compareAll(query) : yield* this.compareLikely(query, k);
    const top: Match[] = [];
    for (const [person, cosine] of best.entries()) {
      if (cosine < -1.5) continue;
      const distance = distanceOf(cosine);
      const farthest = top[k - 1];
      if (farthest !== undefined && distance >= farthest.distance) continue;
      top.splice(top.findLastIndex((nearer) => nearer.distance <= distance) + 1, 0, { person, distance });
      if (top.length > k) top.pop();
    }
    return top;
  }

  /** Returns the cosine of each person's nearest row; −2 without rows. */
  private *compareAll(query: Float32Array): Generator<void, Float64Array> {
    const best = new Float64Array(this.persons.length).fill(-2);
    for (const { vectors, rowPersons } of this.parts) {
      for (let from = 0; from < rowPersons.length; from += ROWS_PER_SLICE) {
        scan(query, vectors, rowPersons, best, from, Math.min(rowPersons.length, from + ROWS_PER_SLICE));
        yield;
      }
    }
    return best;
  }

  /** Returns the same for likely candidates: at least `least` people, where there are so many. */
  private *compareLikely(query: Float32Array, least: number): Generator<void, Map<number, number> | Float64Array> {
    this.bundles ??= yield* Bundles.of(this.rowsOf, query.length);
    const best = new Map<number, number>();
    for (const { person, rows } of yield* this.bundles.nearest(query, BUNDLES_COMPARED)) {
      for (const { vectors, row } of rows) {
        best.set(person, Math.max(best.get(person) ?? -2, cosineOf(query, vectors, row)));
      }
      yield;
    }
    // A person with many dissimilar photos may be the only candidate.
    return best.size < Math.min(least, this.rowsOf.size) ? yield* this.compareAll(query) : best;
  }

  /** Returns the distance of `query` to the nearest row of one person. */
  distanceTo(query: Float32Array, person: number): number {
    return distanceOf(this.cosineTo(query, person));
  }

  /** Returns the largest dot product of `query`, of any length, with a row of one person. */
  cosineTo(query: Float32Array, person: number): number {
    this.checkLength(query);
    let best = -1;
    for (const { vectors, row } of this.rowsOf.get(person) ?? []) {
      best = Math.max(best, dot(query, vectors.subarray(row * query.length, (row + 1) * query.length)));
    }
    return best;
  }

  private add(gallery: Gallery): void {
    this.dimensions ??= gallery.dimensions;
    if (gallery.dimensions !== this.dimensions) {
      throw new AditError('VALIDATION', `The gallery ${gallery.name} was built for another network than the others.`);
    }
    const known = new Map(this.persons.map((person, index) => [person.label, index]));
    const personOf = gallery.classes.map((member) => {
      const twin = known.get(member.label);
      if (twin !== undefined) {
        elementAt(this.persons, twin).classId ??= gallery.custom ? member.id : null;
        return twin;
      }
      return this.persons.push({ label: member.label, classId: gallery.custom ? member.id : null }) - 1;
    });
    const rowPersons = gallery.rows.map((index) => elementAt(personOf, index));
    rowPersons.forEach((person, row) => {
      const rows = this.rowsOf.get(person) ?? [];
      rows.push({ vectors: gallery.vectors, row });
      this.rowsOf.set(person, rows);
    });
    this.rowCount += rowPersons.length;
    this.parts.push({ vectors: gallery.vectors, rowPersons });
  }

  private checkLength(query: Float32Array): void {
    if (this.dimensions !== null && query.length !== this.dimensions) {
      throw new AditError(
        'INTERNAL',
        `Embeddings come with ${query.length} values and the gallery holds ${this.dimensions}: build the gallery again.`,
      );
    }
  }
}

/** Raises `best[person]` to the largest dot product with any of the person's rows in a range. */
function scan(
  query: Float32Array,
  vectors: Float32Array,
  rowPersons: number[],
  best: Float64Array,
  from: number,
  to: number,
): void {
  for (let row = from; row < to; row += 1) {
    const cosine = cosineOf(query, vectors, row);
    // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- every row of every gallery is looked up here
    const person = rowPersons[row]!;
    // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- and is of one of its people
    if (cosine > best[person]!) best[person] = cosine;
  }
}

/** Returns the dot product of `query` with a row of a matrix. */
function cosineOf(query: Float32Array, vectors: Float32Array, row: number): number {
  /* eslint-disable @typescript-eslint/no-non-null-assertion -- every value of every gallery is read here, within both arrays */
  const length = query.length;
  const base = row * length;
  // Four sums, so that additions do not depend on each other.
  let [a, b, c, d] = [0, 0, 0, 0];
  let index = 0;
  for (; index + 3 < length; index += 4) {
    a += query[index]! * vectors[base + index]!;
    b += query[index + 1]! * vectors[base + index + 1]!;
    c += query[index + 2]! * vectors[base + index + 2]!;
    d += query[index + 3]! * vectors[base + index + 3]!;
  }
  for (; index < length; index += 1) a += query[index]! * vectors[base + index]!;
  return a + b + c + d;
  /* eslint-enable @typescript-eslint/no-non-null-assertion */
}
