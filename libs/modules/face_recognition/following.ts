import type { FaceObservations } from '@adit/analyses/faces/observations';
import { isFinal } from '@adit/module-kit';
import type { Instant } from '@adit/module-kit';
import { linkTracklets } from './linking.js';
import { beginThread, roomFor, see, takeUp } from './thread.js';
import type { Thread } from './thread.js';
import { trackletsOf } from './tracklet.js';
import type { Sighting, Tracklet } from './tracklet.js';

/** Knowledge about a source's faces after one more sample, and nothing later. */
export interface Moment {
  at: Instant;
  /** Tracks that nothing later continues, in the order of beginning. */
  ended: Thread[];
  /** All others, in the same order. The next moment changes them. */
  open: Thread[];
  nextId: number;
}

/**
 * Follows faces through a unit, sample by sample: its tracklets continue open tracks, or begin new ones. A decision at
 * a moment uses nothing of the rest of the unit, so it is the same wherever the unit ends.
 * @param instants - the unit's samples, in order.
 * @param nextId - id of the next new track.
 * @param maxOpen - limit of tracks with one embedding that stay open after the last sample (`roomFor`); beyond it the
 * longest unseen, then the smallest, end there.
 */
export function* followFaces(
  threads: readonly Thread[],
  faces: FaceObservations,
  instants: Map<number, Instant>,
  { nextId, maxOpen }: { nextId: number; maxOpen: number },
): Generator<Moment, void> {
  const beginning = byBeginning(trackletsOf(faces, instants));
  /** Future sightings of tracks within a tracklet. */
  const toCome = new Map<Thread, Sighting[]>();
  const last = [...instants.values()].at(-1);
  let open = [...threads];
  let id = nextId;
  for (const at of instants.values()) {
    const group = beginning.get(at.sample) ?? [];
    const free = open.filter((thread) => !toCome.has(thread));
    const continued = linkTracklets(free, group);
    for (const tracklet of group) {
      const thread = continued.get(tracklet) ?? beginThread(id++, tracklet);
      if (!continued.has(tracklet)) open.push(thread);
      takeUp(thread, tracklet);
      toCome.set(thread, tracklet.sightings);
    }
    for (const [thread, sightings] of toCome) {
      const later = sightings.filter((sighting) => sighting.at.sample > at.sample);
      for (const sighting of sightings.slice(0, sightings.length - later.length)) see(thread, sighting);
      if (later.length > 0) toCome.set(thread, later);
      else toCome.delete(thread);
    }
    const ended = open.filter((thread) => isFinal(thread.end, at));
    open = open.filter((thread) => !isFinal(thread.end, at));
    if (at === last) ended.push(...takeBeyond(open, roomFor(open, maxOpen)));
    yield { at, ended, open: [...open], nextId: id };
  }
}

/** Removes and returns those beyond the limit. */
function takeBeyond(open: Thread[], most: number): Thread[] {
  if (open.length <= most) return [];
  const beyond = [...open].sort((a, b) => b.end.sample - a.end.sample || b.box.h - a.box.h || a.id - b.id).slice(most);
  const taken = new Set(beyond);
  open.splice(0, open.length, ...open.filter((thread) => !taken.has(thread)));
  return beyond;
}

function byBeginning(tracklets: readonly Tracklet[]): Map<number, Tracklet[]> {
  const bySample = new Map<number, Tracklet[]>();
  for (const tracklet of tracklets) {
    const { sample } = tracklet.start;
    bySample.set(sample, [...(bySample.get(sample) ?? []), tracklet]);
  }
  return bySample;
}
