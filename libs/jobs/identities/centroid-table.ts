import { elementAt } from '@adit/contracts';

/** Rows compared in one time slice. */
const ROWS_PER_SLICE = 256;

/** Centroids of a collection of identities, row after row in one block of memory: N×dimensions, each of length 1. */
export class CentroidTable {
  private vectors: Float32Array;
  private readonly membersOf: number[] = [];
  private readonly changed = new Set<number>();

  constructor(private readonly dimensions: number) {
    this.vectors = new Float32Array(dimensions * ROWS_PER_SLICE);
  }

  get count(): number {
    return this.membersOf.length;
  }

  /** Number of members of all identities together. */
  get members(): number {
    return this.membersOf.reduce((sum, members) => sum + members, 0);
  }

  /** Appends a stored identity: little-endian float32. */
  load(centroid: Buffer, members: number): void {
    this.append(vectorOf(centroid), members);
  }

  /**
   * Returns the row nearest to `embedding` within `maxDistance`, the first of equally near ones; null when there is
   * none.
   */
  *search(embedding: ArrayLike<number>, maxDistance: number): Generator<void, number | null> {
    const query = Float64Array.from(embedding);
    let nearest: number | null = null;
    let best = maxDistance ** 2;
    for (let row = 0; row < this.count; row += 1) {
      const squared = squaredDistance(query, this.vectors, row * query.length, best);
      if (squared < best || (squared === best && nearest === null)) [best, nearest] = [squared, row];
      if (row % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    }
    return nearest;
  }

  /** Returns every row within `maxDistance` of `embedding`, with its distance, in order of rows. */
  *within(embedding: ArrayLike<number>, maxDistance: number): Generator<void, { row: number; distance: number }[]> {
    const query = Float64Array.from(embedding);
    const found: { row: number; distance: number }[] = [];
    for (let row = 0; row < this.count; row += 1) {
      const squared = squaredDistance(query, this.vectors, row * query.length, maxDistance ** 2);
      if (squared <= maxDistance ** 2) found.push({ row, distance: Math.sqrt(squared) });
      if (row % ROWS_PER_SLICE === ROWS_PER_SLICE - 1) yield;
    }
    return found;
  }

  /** Adds a member to a row, or creates a new one. Returns its number, from 1. */
  add(row: number | null, embedding: ArrayLike<number>): number {
    if (row === null) {
      this.append(embedding, 1);
      this.changed.add(this.count - 1);
      return this.count;
    }
    const members = elementAt(this.membersOf, row);
    const centroid = this.vectors.subarray(row * this.dimensions, (row + 1) * this.dimensions);
    let length = 0;
    const mean = Float64Array.from(centroid, (value, at) => value * members + elementAt(embedding, at));
    for (const value of mean) length += value * value;
    centroid.set(mean.map((value) => value / (Math.sqrt(length) || 1)));
    this.membersOf[row] = members + 1;
    this.changed.add(row);
    return row + 1;
  }

  /** Rows changed since the last call, for the database. */
  takeChanged(): { number: number; centroid: Buffer; members: number }[] {
    const rows = [...this.changed].sort((a, b) => a - b);
    this.changed.clear();
    return rows.map((row) => {
      const vector = this.vectors.subarray(row * this.dimensions, (row + 1) * this.dimensions);
      return { number: row + 1, centroid: bytesOf(vector), members: elementAt(this.membersOf, row) };
    });
  }

  private append(vector: ArrayLike<number>, members: number): void {
    const at = this.count * this.dimensions;
    if (at === this.vectors.length) {
      const larger = new Float32Array(this.vectors.length * 2);
      larger.set(this.vectors);
      this.vectors = larger;
    }
    this.vectors.set(vector, at);
    this.membersOf.push(members);
  }
}

/** Reads a stored centroid, little-endian float32. */
export function vectorOf(centroid: Buffer): Float32Array {
  return Float32Array.from({ length: centroid.length / 4 }, (_, at) => centroid.readFloatLE(at * 4));
}

/** Stores a centroid likewise. */
export function bytesOf(vector: ArrayLike<number>): Buffer {
  const centroid = Buffer.alloc(vector.length * 4);
  for (let at = 0; at < vector.length; at += 1) centroid.writeFloatLE(elementAt(vector, at), at * 4);
  return centroid;
}

/** Computes the distance to the row at `base`; returns Infinity once it exceeds `limit`, as for nearly all rows. */
function squaredDistance(query: Float64Array, table: Float32Array, base: number, limit: number): number {
  let sum = 0;
  for (let at = 0; at < query.length;) {
    const end = Math.min(query.length, at + 64);
    for (; at < end; at += 1) {
      // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- a query is compared with every row of the table
      const difference = query[at]! - table[base + at]!;
      sum += difference * difference;
    }
    if (sum > limit) return Infinity;
  }
  return sum;
}
