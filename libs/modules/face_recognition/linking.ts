import { matchGreedily, SAME_FACE_DISTANCE, type Pair } from '@adit/contracts';
import { bridges, intersectionOverUnion } from '@adit/module-kit';
import { distanceOf, dot } from '../galleries/embedding.js';
import { OTHER_FACE_DISTANCE } from './distances.js';
import { identityOf } from './track.js';
import type { Track } from './track.js';
import type { Tracklet } from './tracklet.js';

/** Intersection over union from which two boxes on either side of a gap are in the same place. */
const SAME_PLACE = 0.2;
/** Bonus, in distance, for the same place when several tracks could continue. */
const PLACE_BONUS = 0.3;
/** Bonus where the faces are similar too: somebody and their mirror image keep their places. */
const ALIKE_BONUS = 0.6;
/** Bonus when no sample is missing either: a unit ended there, not the face. */
const CONTINUITY_BONUS = 1;
/** Assumed distance where one side has no view. */
const UNKNOWN_DISTANCE = 1.1;

/**
 * Assigns simultaneously beginning tracklets to the tracks they continue; unassigned ones begin new tracks. The best
 * pair is linked first.
 */
export function linkTracklets(tracks: readonly Track[], group: readonly Tracklet[]): Map<Tracklet, Track> {
  const identities = new Map(group.map((tracklet) => [tracklet, firstIdentityOf(tracklet)]));
  // Ordered by tracks, then by tracklets, which breaks ties.
  const pairs: Pair<Track, Tracklet>[] = [];
  for (const track of tracks) {
    const candidates = group.filter(({ start }) => track.end.sample < start.sample && bridges(track.end, start));
    if (candidates.length === 0) continue;
    const identity = identityOf(track);
    for (const tracklet of candidates) {
      const cost = costOfLinking(track, identity, tracklet, identities.get(tracklet) ?? null);
      if (cost !== null) pairs.push({ left: track, right: tracklet, cost });
    }
  }
  return new Map(matchGreedily(pairs).map(({ left, right }) => [right, left]));
}

/**
 * Uses the first view alone: a tracklet cut by a chunk's end may have no more, and the mean of many views is nearer to
 * everybody than each of them, so that with all views the same faces could be linked in a long chunk and separated in a
 * short one.
 */
function firstIdentityOf({ sightings }: Tracklet): Float32Array | null {
  const seen = sightings.find(({ sum }) => sum !== null);
  return seen === undefined ? null : identityOf(seen);
}

/** Returns null when they are not one face; else the lower the better. */
function costOfLinking(
  track: Track,
  threadIdentity: Float32Array | null,
  tracklet: Tracklet,
  trackletIdentity: Float32Array | null,
): number | null {
  const overlap = intersectionOverUnion(track.box, tracklet.firstBox);
  const samePlace = overlap >= SAME_PLACE;
  const goesOn = tracklet.start.sample === track.end.sample + 1;
  if (threadIdentity === null || trackletIdentity === null) {
    return samePlace ? UNKNOWN_DISTANCE - (goesOn ? CONTINUITY_BONUS : PLACE_BONUS) * overlap : null;
  }
  const distance = distanceOf(dot(threadIdentity, trackletIdentity));
  const same = distance <= SAME_FACE_DISTANCE || (samePlace && distance < OTHER_FACE_DISTANCE);
  if (!same) return null;
  if (distance > SAME_FACE_DISTANCE) return distance - PLACE_BONUS * overlap;
  return distance - (goesOn ? CONTINUITY_BONUS : ALIKE_BONUS) * overlap;
}
