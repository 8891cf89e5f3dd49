import { elementAt } from '@adit/contracts';
import { editDistance, editsWithin, similarityOf } from './edit-distance.js';
import type { EntryIndex } from './entry-index.js';

const ENTRIES_PER_STEP = 256;

interface Candidate {
  place: number;
  text: string;
}

/**
 * Entries of one length, cut into one piece more than a match may have edits: every similar label contains one of the
 * pieces unchanged, near its position (PassJoin: Li, Deng, Wang, Feng, VLDB 2011).
 */
interface Bucket {
  length: number;
  all: Candidate[];
  /** Start and length of each piece; null when the pieces would be too short to discriminate. */
  cuts: { start: number; length: number }[] | null;
  /** Candidates by piece, one map per cut. */
  pieces: Map<string, Candidate[]>[];
}

/** Pieces of a single character are in too many entries to help. */
const MIN_PIECE_LENGTH = 2;
/** Limit of pieces of all entries; further buckets are compared entry by entry. */
const MAX_PIECES = 2_500_000;
const PIECE_BYTES = 100;
const CANDIDATE_BYTES = 48;

/** Finds the entry most similar to a label, where the normalised Levenshtein similarity reaches `threshold`, 0..1. */
export class SimilarIndex implements EntryIndex {
  /** Number of full comparisons so far, the cost of a search. */
  compared = 0;

  private constructor(
    private readonly places: ReadonlyMap<string, number>,
    private readonly threshold: number,
    private readonly buckets: Bucket[],
    readonly size: number,
  ) {}

  /** Built step by step. `size` is that of `places`. */
  static *over(
    places: ReadonlyMap<string, number>,
    threshold: number,
    size: number,
    mostPieces = MAX_PIECES,
  ): Generator<void, SimilarIndex> {
    const byLength = new Map<number, Candidate[]>();
    let count = 0;
    for (const [text, place] of places) {
      const { length } = Array.from(text);
      const bucket = byLength.get(length);
      if (bucket === undefined) byLength.set(length, [{ place, text }]);
      else bucket.push({ place, text });
      if (++count % ENTRIES_PER_STEP === 0) yield;
    }
    const buckets: Bucket[] = [];
    let left = mostPieces;
    for (const [length, all] of byLength) {
      const bucket = yield* makeBucket(length, all, threshold, left);
      left -= all.length * bucket.pieces.length;
      buckets.push(bucket);
    }
    const taken = size + places.size * CANDIDATE_BYTES + (mostPieces - left) * PIECE_BYTES;
    return new SimilarIndex(places, threshold, buckets, taken);
  }

  /** Returns the most similar entry, of several the first one in the list. */
  find(folded: string): number | null {
    const same = this.places.get(folded);
    if (same !== undefined) return same;
    const label = Array.from(folded);
    let best: { place: number; similarity: number } | null = null;
    // Lengths near the label's have the most similar ones, which narrow the rest of the search.
    const near = [...this.buckets].sort(
      (a, b) => Math.abs(a.length - label.length) - Math.abs(b.length - label.length),
    );
    for (const bucket of near) {
      const least = Math.max(this.threshold, best?.similarity ?? 0);
      const edits = editsWithin(least, label.length, bucket.length);
      if (Math.abs(bucket.length - label.length) > edits) continue;
      for (const { place, text } of candidates(bucket, label, edits)) {
        this.compared += 1;
        const distance = editDistance(folded, text);
        if (distance > edits) continue;
        const similarity = similarityOf(distance, label.length, bucket.length);
        const better =
          best === null || similarity > best.similarity || (similarity === best.similarity && place < best.place);
        if (better) best = { place, similarity };
      }
    }
    return best?.place ?? null;
  }
}

function* makeBucket(length: number, all: Candidate[], threshold: number, mostPieces: number): Generator<void, Bucket> {
  // The longest matching entry bounds the number of edits.
  const longest = threshold > 0 ? Math.floor(length / threshold + 1e-9) : Infinity;
  const count = Number.isFinite(longest) ? editsWithin(threshold, longest, length) + 1 : Infinity;
  if (length < count * MIN_PIECE_LENGTH || count * all.length > mostPieces)
    return { length, all, cuts: null, pieces: [] };
  const cuts = Array.from({ length: count }, (_, piece) => {
    const start = Math.floor((piece * length) / count);
    return { start, length: Math.floor(((piece + 1) * length) / count) - start };
  });
  const pieces = cuts.map(() => new Map<string, Candidate[]>());
  for (const [at, candidate] of all.entries()) {
    const points = Array.from(candidate.text);
    for (const [number, { start, length: size }] of cuts.entries()) {
      const piece = points.slice(start, start + size).join('');
      const own = elementAt(pieces, number);
      const list = own.get(piece);
      if (list === undefined) own.set(piece, [candidate]);
      else list.push(candidate);
    }
    if (at % ENTRIES_PER_STEP === 0) yield;
  }
  return { length, all, cuts, pieces };
}

/** Returns every entry of the bucket within `edits` of the label, and few others. */
function candidates(bucket: Bucket, label: readonly string[], edits: number): Iterable<Candidate> {
  const { cuts } = bucket;
  if (cuts === null) return bucket.all;
  const found = new Set<Candidate>();
  for (const [piece, { start, length }] of cuts.entries()) {
    // An unchanged piece is shifted by at most the edits before it.
    const from = Math.max(0, start - edits);
    const to = Math.min(label.length - length, start + edits);
    for (let at = from; at <= to; at += 1) {
      const list = bucket.pieces[piece]?.get(label.slice(at, at + length).join(''));
      if (list !== undefined) for (const candidate of list) found.add(candidate);
    }
  }
  return found;
}
