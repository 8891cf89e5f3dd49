import { matchGreedily, type Pair } from '@adit/contracts';
import { bridges, intersectionOverUnion } from '@adit/module-kit';
import { distanceOf, dot } from '../galleries/embedding.js';
import { OTHER_FACE_DISTANCE, SAME_FACE_DISTANCE } from './distances.js';
import { absorb, beginThread, identityOf } from './thread.js';
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
 * Continues the open threads with a unit's tracklets (in the order of beginning) and begins new ones for the rest. Of
 * tracklets that begin together the best fitting pair is linked first. Returns the next free thread id.
 */
export function linkTracklets(threads: Thread[], tracklets: Tracklet[], nextId: number): number {
  let id = nextId;
  const bySample = new Map<number, Tracklet[]>();
  for (const tracklet of tracklets) {
    const { sample } = tracklet.start;
    bySample.set(sample, [...(bySample.get(sample) ?? []), tracklet]);
  }
  for (const group of bySample.values()) {
    const continued = linkGroup(threads, group);
    for (const tracklet of group) if (!continued.has(tracklet)) threads.push(beginThread(id++, tracklet));
  }
  return id;
}

function linkGroup(threads: Thread[], group: Tracklet[]): Set<Tracklet> {
  const identities = new Map(group.map((tracklet) => [tracklet, identityOf(tracklet)]));
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
  const matched = matchGreedily(pairs);
  for (const { left: thread, right: tracklet } of matched) absorb(thread, tracklet);
  return new Set(matched.map(({ right: tracklet }) => tracklet));
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
