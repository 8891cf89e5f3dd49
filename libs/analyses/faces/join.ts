import { elementAt, matchGreedily } from '@adit/contracts';
import { JOINED_SECONDS } from '../tracking/gaps.js';
import { cosine, normalise } from './embedding.js';
import { doubtfulChanges } from './appearance-changes.js';
import type { Sighting } from './sighting.js';

/** Properties of a view that joining needs. */
interface ViewVector {
  sighting: Sighting;
  vector: Float32Array;
}

export interface EmbeddedTrack<View extends ViewVector> {
  sightings: Sighting[];
  views: View[];
}

/** Cosine above which two tracks show one person: well above that of different people (README.md). */
const SAME = 0.5;
/** Cosine below which two views cannot show one person, whatever the light and pose. */
const DIFFERENT = 0.15;
/** The same at an abrupt change of appearance, such as a cut: just below that of two different people (README.md). */
const DIFFERENT_AT_CHANGE = 0.35;

/**
 * Splits tracks whose neighbouring views show different people (position alone followed a swap), at the greatest change
 * of appearance or else halfway, and joins consecutive tracks of one person (a cut, a quick turn). Tracks without views
 * stay unchanged.
 */
export function settleTracks<View extends ViewVector>(tracks: readonly EmbeddedTrack<View>[]): EmbeddedTrack<View>[] {
  const ordered = tracks
    .flatMap(split)
    .map((track) => ({ track, first: elementAt(track.sightings, 0) }))
    .sort((a, b) => a.first.time - b.first.time || a.first.x - b.first.x);
  const settled: EmbeddedTrack<View>[] = [];
  for (const { track } of ordered) {
    const candidates = settled.filter((earlier) => follows(earlier, track));
    const pairs = candidates.map((earlier) => ({ left: earlier, right: track, cost: -likeness(earlier, track) }));
    const [best] = matchGreedily(pairs.filter(({ cost }) => -cost >= SAME));
    if (best !== undefined) {
      best.left.sightings.push(...track.sightings);
      best.left.views.push(...track.views);
    } else {
      settled.push({ sightings: [...track.sightings], views: [...track.views] });
    }
  }
  return settled;
}

function split<View extends ViewVector>(track: EmbeddedTrack<View>): EmbeddedTrack<View>[] {
  for (const [i, after] of track.views.entries()) {
    const before = track.views[i - 1];
    if (!before) continue;
    const from = before.sighting.time;
    const between = track.sightings.filter(({ time }) => time >= from && time <= after.sighting.time);
    const [change] = doubtfulChanges(between);
    const likeness = cosine(before.vector, after.vector);
    if (likeness >= (change === undefined ? DIFFERENT : DIFFERENT_AT_CHANGE)) continue;
    const border = change === undefined ? (from + after.sighting.time) / 2 : elementAt(between, change).time;
    const head = { sightings: track.sightings.filter(({ time }) => time < border), views: track.views.slice(0, i) };
    const tail = { sightings: track.sightings.filter(({ time }) => time >= border), views: track.views.slice(i) };
    return [head, ...split(tail)];
  }
  return [track];
}

function follows<View extends ViewVector>(earlier: EmbeddedTrack<View>, later: EmbeddedTrack<View>): boolean {
  const gap = elementAt(later.sightings, 0).time - elementAt(earlier.sightings, -1).time;
  return gap > 0 && gap <= JOINED_SECONDS;
}

function likeness<View extends ViewVector>(a: EmbeddedTrack<View>, b: EmbeddedTrack<View>): number {
  if (a.views.length === 0 || b.views.length === 0) return 0;
  return cosine(meanOf(a.views), meanOf(b.views));
}

function meanOf(views: readonly ViewVector[]): Float32Array {
  const sum = views
    .map(({ vector }) => vector)
    .reduce((total, vector) => total.map((value, i) => value + elementAt(vector, i)));
  return normalise(sum);
}
