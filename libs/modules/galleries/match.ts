import { AditError, dropOldest, elementAt } from '@adit/contracts';
import { atOnce, inTurns } from '@adit/runtime';
import { Bundles, type Row } from './bundles.js';
import { bytesOf, distanceOf, dot } from './embedding.js';
import type { Gallery } from './gallery.js';

/** Someone a face can be: a class of a gallery, or the classes of several galleries with one label. */
export interface Person {
  label: string;
  /** Only of galleries a user built. */
  classId: string | null;
}

/** JSON, since it is part of the fold's state. `distance` is ‖a − b‖ to the nearest of the person's rows, 0..2. */
export type Match = {
  /** Index in `persons`. */
  person: number;
  distance: number;
};

/** Rows compared without a pause: about a millisecond. */
const ROWS_AT_ONCE = 1024;
const MOST_KNOWN = 4096;
/** So many are all compared; of more, those of this many bundles whose signs are the most alike. */
const [ALL_COMPARED, BUNDLES_COMPARED] = [4096, 64];

/**
 * All galleries of a job as one flat matrix. Of few rows a query compares with every one. Of many it finds who is within the distance
 * of a known face as surely (the recall is in README.md of face_recognition), and may say another one nearest of those who are not.
 */
export class Matcher {
  readonly persons: Person[] = [];
  private readonly parts: { vectors: Float32Array; rowPersons: number[] }[] = [];
  private readonly rowsOf = new Map<number, Row[]>();
  private bundles: Bundles | null = null;
  private dimensions: number | null = null;
  private rowCount = 0;
  /** Answers by query, those of the folds under way. */
  private readonly known = new Map<string, Match[]>();
  /** While a call is only made to learn what it searches for. */
  private missing: Map<string, { query: Float32Array; k: number }> | null = null;

  constructor(readonly galleries: readonly Gallery[]) {
    for (const gallery of galleries) this.add(gallery);
  }

  /** Distance up to which one of the galleries is meant, by the network of somebody's own that made them; null for Adit's. */
  get maxDistance(): number | null {
    const distances = this.galleries.flatMap(({ maxDistance }) => maxDistance ?? []);
    return distances.length === 0 ? null : Math.min(...distances);
  }

  /** The `k` nearest people, nearest first; ties in the order of the galleries. `query` is of length 1. */
  nearest(query: Float32Array, k: number): Match[] {
    this.checkLength(query);
    if (this.rowCount <= ROWS_AT_ONCE) return atOnce(this.search(query, k));
    const key = `${k} ${bytesOf(query).toString('base64')}`;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    if (this.missing === null) return atOnce(this.search(query, k));
    this.missing.set(key, { query, k });
    return [];
  }

  /**
   * Searches ahead what `call` is going to search for, in turns with the rest of the process: it is made without answers to
   * learn that, and again, since an answer may lead to another search. `call` must be pure.
   */
  async prepare(call: () => unknown): Promise<void> {
    if (this.rowCount <= ROWS_AT_ONCE) return;
    for (;;) {
      const missing = this.searchesOf(call);
      if (missing.size === 0) return;
      for (const [key, { query, k }] of missing) {
        const found = await inTurns(this.search(query, k));
        this.known.set(key, found);
        dropOldest(this.known, MOST_KNOWN);
      }
      // What is more than can be known at a time is searched where it is asked for.
      if (missing.size >= MOST_KNOWN) return;
    }
  }

  private searchesOf(call: () => unknown): Map<string, { query: Float32Array; k: number }> {
    const missing = new Map<string, { query: Float32Array; k: number }>();
    this.missing = missing;
    try {
      call();
    } catch {
      // Without answers it may go wrong; when it does with them, whoever makes the call hears of it.
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

  /** Cosine of each person's nearest row; −2 of who has none. */
  private *compareAll(query: Float32Array): Generator<void, Float64Array> {
    const best = new Float64Array(this.persons.length).fill(-2);
    for (const { vectors, rowPersons } of this.parts) {
      for (let from = 0; from < rowPersons.length; from += ROWS_AT_ONCE) {
        scan(query, vectors, rowPersons, best, from, Math.min(rowPersons.length, from + ROWS_AT_ONCE));
        yield;
      }
    }
    return best;
  }

  /** The same of those who may be near: of `least` people or more, where there are so many. */
  private *compareLikely(query: Float32Array, least: number): Generator<void, Map<number, number> | Float64Array> {
    this.bundles ??= yield* Bundles.of(this.rowsOf, query.length);
    const best = new Map<number, number>();
    for (const { person, rows } of yield* this.bundles.nearest(query, BUNDLES_COMPARED)) {
      for (const { vectors, row } of rows) {
        best.set(person, Math.max(best.get(person) ?? -2, cosineOf(query, vectors, row)));
      }
      yield;
    }
    // One whose photos are many and hardly alike can be all that is near.
    return best.size < Math.min(least, this.rowsOf.size) ? yield* this.compareAll(query) : best;
  }

  /** Distance of `query` to the nearest row of one person. */
  distanceTo(query: Float32Array, person: number): number {
    return distanceOf(this.cosineTo(query, person));
  }

  /** Largest dot product of `query`, of any length, with a row of one person. */
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

/** Raises `best[person]` to the largest dot product with any of the person's rows of a stretch. */
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

/** Dot product of `query` with a row of a matrix. */
function cosineOf(query: Float32Array, vectors: Float32Array, row: number): number {
  /* eslint-disable @typescript-eslint/no-non-null-assertion -- every value of every gallery is read here, within both arrays */
  const length = query.length;
  const base = row * length;
  // Four sums, so that one addition need not wait for the one before.
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
