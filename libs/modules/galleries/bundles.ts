import { elementAt } from '@adit/contracts';
import { dot } from './embedding.js';

// Accessing a global is slow in jest's contexts, so it is looked up once.
const { imul } = Math;

/** A row of a gallery's matrix. */
export interface Row {
  vectors: Float32Array;
  row: number;
}

/** Similar rows of one person. */
export interface Bundle {
  person: number;
  rows: readonly Row[];
}

/** Cosine from which two rows of a person are represented by their mean; photos of one face are rarely less similar. */
const ALIKE = 0.4;
/** Bundles of a person that a row may still join: dissimilar photos form many bundles of one. */
const WINDOW = 8;
/** Work per step: some milliseconds on a loaded machine. */
const [ROWS_PER_STEP, SIGNS_PER_STEP] = [128, 4_096];

/**
 * Compact form of many people, in a 64th of the memory: the signs of each bundle's mean. The more signs two directions
 * share, the nearer they are (Charikar, "Similarity Estimation Techniques from Rounding Algorithms", 2002), so that few
 * need an exact comparison.
 */
export class Bundles {
  private constructor(
    private readonly bundles: readonly Bundle[],
    /** 32 signs each, `words` per bundle, an even number. */
    private readonly signs: Uint32Array,
    private readonly words: number,
  ) {}

  /** Builds in short steps. `rowsOf` has the rows of each person, all of `dimensions` values. */
  static *of(rowsOf: ReadonlyMap<number, readonly Row[]>, dimensions: number): Generator<void, Bundles> {
    const bundles: Bundle[] = [];
    const words = 2 * Math.ceil(dimensions / 64);
    const parts: Uint32Array[] = [];
    let seen = 0;
    for (const [person, rows] of rowsOf) {
      const own: { first: Float32Array; rows: Row[]; sum: Float32Array }[] = [];
      for (const row of rows) {
        const vector = row.vectors.subarray(row.row * dimensions, (row.row + 1) * dimensions);
        const bundle = own.slice(-WINDOW).find(({ first }) => dot(first, vector) >= ALIKE);
        if (bundle === undefined) own.push({ first: vector, rows: [row], sum: vector.slice() });
        else {
          bundle.rows.push(row);
          add(bundle.sum, vector);
        }
        seen += 1;
        if (seen % ROWS_PER_STEP === 0) yield;
      }
      for (const { rows: joined, sum } of own) {
        bundles.push({ person, rows: joined });
        parts.push(signsOf(sum, words));
      }
    }
    yield;
    const signs = new Uint32Array(bundles.length * words);
    parts.forEach((part, at) => signs.set(part, at * words));
    return new Bundles(bundles, signs, words);
  }

  /** Returns the `most` bundles that share the most signs with `query`, all when there are no more; unordered. */
  *nearest(query: Float32Array, most: number): Generator<void, readonly Bundle[]> {
    if (this.bundles.length <= most) return this.bundles;
    const differing = new Uint16Array(this.bundles.length);
    const asked = signsOf(query, this.words);
    for (let from = 0; from < differing.length; from += SIGNS_PER_STEP) {
      countDiffering(asked, this.signs, differing, from, Math.min(differing.length, from + SIGNS_PER_STEP));
      yield;
    }
    const histogram = new Uint32Array(32 * this.words + 1);
    differing.forEach((count) => (histogram[count] = (histogram[count] ?? 0) + 1));
    let farthest = 0;
    let left = most - elementAt(histogram, 0);
    while (left > 0) left -= elementAt(histogram, (farthest += 1));
    // Take the first ones at the limiting distance.
    let room = elementAt(histogram, farthest) + left;
    const nearest: Bundle[] = [];
    differing.forEach((count, at) => {
      if (count < farthest || (count === farthest && (room -= 1) >= 0)) nearest.push(elementAt(this.bundles, at));
    });
    return nearest;
  }
}

function add(sum: Float32Array, vector: Float32Array): void {
  // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- both are embeddings of one network
  for (let at = 0; at < sum.length; at += 1) sum[at]! += vector[at]!;
}

/** Returns a bit per value: whether it is above 0. */
function signsOf(vector: Float32Array, words: number): Uint32Array {
  const signs = new Uint32Array(words);
  vector.forEach((value, at) => {
    if (value > 0) signs[at >>> 5] = (signs[at >>> 5] ?? 0) | (1 << (at & 31));
  });
  return signs;
}

/** Counts the differing signs of each bundle: bits are counted in parallel, as in Warren, "Hacker's Delight", 5-1. */
function countDiffering(
  asked: Uint32Array,
  signs: Uint32Array,
  differing: Uint16Array,
  from: number,
  to: number,
): void {
  /* eslint-disable @typescript-eslint/no-non-null-assertion -- every sign of every bundle is read here, within both arrays */
  const words = asked.length;
  for (let bundle = from, base = from * words; bundle < to; bundle += 1, base += words) {
    let count = 0;
    for (let word = 0; word < words; word += 2) {
      let a = asked[word]! ^ signs[base + word]!;
      let b = asked[word + 1]! ^ signs[base + word + 1]!;
      a -= (a >>> 1) & 0x55555555;
      b -= (b >>> 1) & 0x55555555;
      a = (a & 0x33333333) + ((a >>> 2) & 0x33333333) + (b & 0x33333333) + ((b >>> 2) & 0x33333333);
      count += imul((a & 0x0f0f0f0f) + ((a >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
    }
    differing[bundle] = count;
  }
  /* eslint-enable @typescript-eslint/no-non-null-assertion */
}
