import { type Box, elementAt } from '@adit/contracts';
import { appendMark, betterPortrait, boxMark, emptyMarks, MAX_DETECTIONS } from '@adit/module-kit';
import type { Instant, Portrait, Thinned } from '@adit/module-kit';
import { addTraits, NO_TRAITS } from './traits.js';
import type { Traits } from './traits.js';
import { decodeEmbedding, encodeEmbedding, normalised, scaled } from '../galleries/embedding.js';
import type { Compared, Sighting, Tracklet } from './tracklet.js';

export { betterPortrait, boxMark };
export type { Portrait };

/**
 * One face followed through the source: consecutive tracklets of units. Its identity is decided once, when it has
 * ended, from all of its views together.
 */
export interface Track {
  /** Order of beginning, the last tie-breaker. */
  id: number;
  start: Instant;
  end: Instant;
  /** Left edge of the first box, 0..1. */
  startX: number;
  /** Last known box. */
  box: Box;
  /** Σ quality · embedding of its views; null without any. */
  sum: Float64Array | null;
  /** The same by the galleries' network, where that differs from the one that follows faces. */
  compared: Float64Array | null;
  /** Σ quality. */
  weight: number;
  /** Apparent traits, independent of identity. */
  traits: Traits;
  marks: Thinned;
  portrait: Portrait;
}

/** A track in the fold's state: 2.7 kB of embedding, the same of another network where there is one, and the marks. */
export type StoredTrack = Omit<Track, 'sum' | 'compared'> & { sum: string | null; compared?: string };

/** Bytes of a track in a fold's state without its marks, and per value of another network's embedding. */
const TRACK_BYTES = 3_900;
const VALUE_BYTES = 16 / 3;

/** Returns how many of these tracks fit where `most` with one embedding do. */
export function capacityFor(tracks: readonly Pick<Track, 'compared'>[], most: number): number {
  const values = tracks.reduce((longest, { compared }) => Math.max(longest, compared?.length ?? 0), 0);
  return Math.floor((most * TRACK_BYTES) / (TRACK_BYTES + values * VALUE_BYTES));
}

export function storeTrack({ sum, compared, ...track }: Track): StoredTrack {
  return {
    ...track,
    sum: sum === null ? null : encodeEmbedding(sum),
    ...(compared !== null && { compared: encodeEmbedding(compared) }),
  };
}

export function restoreTrack(stored: StoredTrack): Track {
  return {
    ...stored,
    sum: stored.sum === null ? null : new Float64Array(decodeEmbedding(stored.sum)),
    compared: stored.compared === undefined ? null : new Float64Array(decodeEmbedding(stored.compared)),
    marks: { ...stored.marks, kept: [...stored.marks.kept] },
  };
}

/** Begins a track with the start of a tracklet only: `takeUp` and `see` add the rest. */
export function beginTrack(id: number, { start, firstBox, portrait }: Tracklet): Track {
  return {
    id,
    start,
    end: start,
    startX: firstBox.x,
    box: firstBox,
    sum: null,
    compared: null,
    weight: 0,
    traits: NO_TRAITS,
    marks: emptyMarks(),
    portrait,
  };
}

/** Adopts the parts of a continuing tracklet that no decision about an open track uses. */
export function takeUp(track: Track, { portrait, traits }: Tracklet): void {
  track.portrait = betterPortrait(track.portrait, portrait);
  track.traits = addTraits(track.traits, traits);
}

/** Adds one more sighting of the face, with its views. */
export function see(track: Track, { at, box, sum, compared, weight }: Sighting): void {
  track.end = at;
  track.box = box;
  appendMark(track.marks, boxMark(at.frame, box), MAX_DETECTIONS);
  if (sum === null) return;
  track.weight += weight;
  track.sum = added(track.sum, sum);
  if (compared !== null) track.compared = added(track.compared, compared);
}

function added(sum: Float64Array | null, more: Float64Array): Float64Array {
  return sum === null ? more.slice() : sum.map((value, index) => value + elementAt(more, index));
}

/**
 * Returns the direction of all its views, of length 1, by which faces are followed and separated; null without views.
 */
export function identityOf(face: Pick<Track, 'sum'>): Float32Array | null {
  return face.sum === null ? null : normalised(face.sum);
}

/** Returns the direction by the galleries' network: embeddings of different networks are not comparable. */
export function comparedIdentityOf({ sum, compared }: Omit<Compared, 'weight'>): Float32Array | null {
  return identityOf({ sum: compared ?? sum });
}

/**
 * Returns the mean of its views by the galleries' network, not normalised: its dot product with a row is the views'
 * mean cosine.
 */
export function meanView({ sum, compared, weight }: Compared): Float32Array | null {
  const views = compared ?? sum;
  return views === null ? null : scaled(views, 1 / weight);
}
