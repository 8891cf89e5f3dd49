import { matchGreedily, type Pair } from '@adit/contracts';
import { bridges, intersectionOverUnion } from '@adit/module-kit';
import { distanceOf, dot } from '../galleries/embedding.js';
import { OTHER_FACE_DISTANCE, SAME_FACE_DISTANCE } from './distances.js';
import { identityOf } from './thread.js';
import type { Thread } from './thread.js';
import type { Tracklet } from './tracklet.js';

/** Intersection over union from which two boxes on either side of a gap are the same place. */
const SAME_PLACE = 0.2;
/** What being in the same place is worth, in distance, when several threads could go on. */
const PLACE_BONUS = 0.3;
/** The same where the faces are alike too: somebody and their mirror image keep their places. */
const ALIKE_BONUS = 0.6;
/** The same when not one sample is missing besides: a unit ended there, not the face. */
const CONTINUITY_BONUS = 1;
/** Stands for the distance where one side has no view. */
const UNKNOWN_DISTANCE = 1.1;

/**
 * Which of the threads each of the tracklets goes on with that begin together; of those that are not answered somebody new begins.
 * The best fitting pair is linked first.
 */
export function linkTracklets(threads: readonly Thread[], group: readonly Tracklet[]): Map<Tracklet, Thread> {
  const identities = new Map(group.map((tracklet) => [tracklet, firstIdentityOf(tracklet)]));
  // In the order of threads, then of tracklets, which is that of ties.
  const pairs: Pair<Thread, Tracklet>[] = [];
  for (const thread of threads) {
    const candidates = group.filter(({ start }) => thread.end.sample < start.sample && bridges(thread.end, start));
    if (candidates.length === 0) continue;
    const identity = identityOf(thread);
    for (const tracklet of candidates) {
      const cost = costOfLinking(thread, identity, tracklet, identities.get(tracklet) ?? null);
      if (cost !== null) pairs.push({ left: thread, right: tracklet, cost });
    }
  }
  return new Map(matchGreedily(pairs).map(({ left, right }) => [right, left]));
}

/**
 * By the first view alone: of a tracklet that a chunk's end cuts short no more may be known, and the mean of many views is nearer to
 * anybody than each of them, so by all of them the same faces could be linked in a long chunk and apart in a short one.
 */
function firstIdentityOf({ sightings }: Tracklet): Float32Array | null {
  const seen = sightings.find(({ sum }) => sum !== null);
  return seen === undefined ? null : identityOf(seen);
}

/** Null when they are not one face; else the lower the better. */
function costOfLinking(
  thread: Thread,
  threadIdentity: Float32Array | null,
  tracklet: Tracklet,
  trackletIdentity: Float32Array | null,
): number | null {
  const overlap = intersectionOverUnion(thread.box, tracklet.firstBox);
  const samePlace = overlap >= SAME_PLACE;
  const goesOn = tracklet.start.sample === thread.end.sample + 1;
  if (threadIdentity === null || trackletIdentity === null) {
    return samePlace ? UNKNOWN_DISTANCE - (goesOn ? CONTINUITY_BONUS : PLACE_BONUS) * overlap : null;
  }
  const distance = distanceOf(dot(threadIdentity, trackletIdentity));
  const same = distance <= SAME_FACE_DISTANCE || (samePlace && distance < OTHER_FACE_DISTANCE);
  if (!same) return null;
  if (distance > SAME_FACE_DISTANCE) return distance - PLACE_BONUS * overlap;
  return distance - (goesOn ? CONTINUITY_BONUS : ALIKE_BONUS) * overlap;
}
