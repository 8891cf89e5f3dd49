import type { FaceObservations } from '@adit/analyses/faces/observations';
import { isFinal } from '@adit/module-kit';
import type { Instant } from '@adit/module-kit';
import { linkTracklets } from './linking.js';
import { beginTrack, capacityFor, see, takeUp } from './track.js';
import type { Track } from './track.js';
import { trackletsOf } from './tracklet.js';
import type { Sighting, Tracklet } from './tracklet.js';

/** Knowledge about a source's faces after one more sample, and nothing later. */
export interface Moment {
  at: Instant;
  /** Tracks that nothing later continues, in the order of beginning. */
  ended: Track[];
  /** All others, in the same order. The next moment changes them. */
  open: Track[];
  nextId: number;
}

/**
 * Follows faces through a unit, sample by sample: its tracklets continue open tracks, or begin new ones. A decision at
 * a moment uses nothing of the rest of the unit, so it is the same wherever the unit ends.
 * @param instants - the unit's samples, in order.
 * @param nextId - id of the next new track.
 * @param maxOpen - limit of tracks with one embedding that stay open after the last sample (`capacityFor`); beyond it
 * the longest unseen, then the smallest, end there.
 */
export function* followFaces(
  tracks: readonly Track[],
  faces: FaceObservations,
  instants: Map<number, Instant>,
  { nextId, maxOpen }: { nextId: number; maxOpen: number },
): Generator<Moment, void> {
  const beginning = byBeginning(trackletsOf(faces, instants));
  /** Future sightings of tracks within a tracklet. */
  const toCome = new Map<Track, Sighting[]>();
  const last = [...instants.values()].at(-1);
  let open = [...tracks];
  let id = nextId;
  for (const at of instants.values()) {
    const group = beginning.get(at.sample) ?? [];
    const free = open.filter((track) => !toCome.has(track));
    const continued = linkTracklets(free, group);
    for (const tracklet of group) {
      const track = continued.get(tracklet) ?? beginTrack(id++, tracklet);
      if (!continued.has(tracklet)) open.push(track);
      takeUp(track, tracklet);
      toCome.set(track, tracklet.sightings);
    }
    for (const [track, sightings] of toCome) {
      const later = sightings.filter((sighting) => sighting.at.sample > at.sample);
      for (const sighting of sightings.slice(0, sightings.length - later.length)) see(track, sighting);
      if (later.length > 0) toCome.set(track, later);
      else toCome.delete(track);
    }
    const ended = open.filter((track) => isFinal(track.end, at));
    open = open.filter((track) => !isFinal(track.end, at));
    if (at === last) ended.push(...takeBeyond(open, capacityFor(open, maxOpen)));
    yield { at, ended, open: [...open], nextId: id };
  }
}

/** Removes and returns those beyond the limit. */
function takeBeyond(open: Track[], most: number): Track[] {
  if (open.length <= most) return [];
  const beyond = [...open].sort((a, b) => b.end.sample - a.end.sample || b.box.h - a.box.h || a.id - b.id).slice(most);
  const taken = new Set(beyond);
  open.splice(0, open.length, ...open.filter((track) => !taken.has(track)));
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
