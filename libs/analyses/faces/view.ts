import { doubtfulChanges } from './appearance-changes.js';
import { MIN_VIEW_SIZE } from './observations.js';
import { frontality } from './quality.js';
import type { Sighting, Tracklet } from './sighting.js';

const MAX_VIEWS = 6;
/** Number of sightings per additional view. */
const SIGHTINGS_PER_VIEW = 4;
/** Changes of a track's appearance of which both sides are embedded. */
const MAX_DOUBTS = 6;

/**
 * Chooses the sightings of a track to embed. Its time is divided evenly and each part gives its best, so that the views
 * differ in light and pose; no part spans a change after which another person may be there. Empty when the face was
 * never large enough.
 */
export function chooseViews(track: Tracklet, sizeOf: (sighting: Sighting) => number): Sighting[] {
  const usable = track.sightings.filter((sighting) => sizeOf(sighting) >= MIN_VIEW_SIZE);
  const doubts = doubtfulChanges(usable).slice(0, MAX_DOUBTS);
  const borders = [0, ...doubts.sort((a, b) => a - b), usable.length];
  const runs = borders.slice(1).map((to, i) => usable.slice(borders[i], to));
  const count = Math.min(MAX_VIEWS, Math.ceil(usable.length / SIGHTINGS_PER_VIEW));
  return runs.flatMap((run) => bestOfParts(run, Math.ceil((count * run.length) / usable.length)));

  function bestOfParts(run: Sighting[], parts: number): Sighting[] {
    return Array.from({ length: parts }, (_, part) => {
      const from = Math.floor((part * run.length) / parts);
      const to = Math.floor(((part + 1) * run.length) / parts);
      return run.slice(from, to).reduce((best, sighting) => (worth(sighting) > worth(best) ? sighting : best));
    });
  }

  function worth(sighting: Sighting): number {
    return Math.min(1, sizeOf(sighting) / 112) * (0.2 + frontality(sighting.points)) * sighting.score;
  }
}
