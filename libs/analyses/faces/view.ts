import { frontality } from './quality.js';
import type { Sighting, Tracklet } from './sighting.js';

/** Source pixels of the shorter side below which faces are not compared: false matches appear. */
const MIN_VIEW_SIZE = 48;
const MAX_VIEWS = 4;
/** One more view for every this many sightings. */
const SIGHTINGS_PER_VIEW = 4;

/**
 * The sightings of a track worth embedding: its time is divided evenly and each part gives its best, so that the views
 * differ in light and pose. Empty when the face was never large enough.
 */
export function chooseViews(track: Tracklet, sizeOf: (sighting: Sighting) => number): Sighting[] {
  const usable = track.sightings.filter((sighting) => sizeOf(sighting) >= MIN_VIEW_SIZE);
  const count = Math.min(MAX_VIEWS, Math.ceil(usable.length / SIGHTINGS_PER_VIEW));
  return Array.from({ length: count }, (_, part) => {
    const from = Math.floor((part * usable.length) / count);
    const to = Math.floor(((part + 1) * usable.length) / count);
    return usable.slice(from, to).reduce((best, sighting) => (worth(sighting) > worth(best) ? sighting : best));
  });

  function worth(sighting: Sighting): number {
    return Math.min(1, sizeOf(sighting) / 112) * (0.2 + frontality(sighting.points)) * sighting.score;
  }
}
