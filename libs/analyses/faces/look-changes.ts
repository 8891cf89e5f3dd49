import { dot } from '../tracking/shots.js';

/** What a face looks like, laid on its eyes, nose and mouth: 400 brightnesses less their mean, of length 1. */
export type FaceLook = Float32Array;

/** Correlation of two looks below which somebody else may have taken a face's place. */
const OTHER_LOOK = 0.7;

/**
 * Where in a track somebody else may have taken the face's place: the sightings before which the look changes, the greatest
 * change first. On a background that stays a cut shows nowhere but there. A face that turns changes as much, so the
 * embeddings of both sides have to tell.
 */
export function doubtfulChanges(sightings: readonly { look: FaceLook }[]): number[] {
  return sightings
    .flatMap(({ look }, at) => {
      const before = sightings[at - 1];
      const likeness = before === undefined ? 1 : dot(before.look, look);
      return likeness < OTHER_LOOK ? [{ at, likeness }] : [];
    })
    .sort((a, b) => a.likeness - b.likeness)
    .map(({ at }) => at);
}
