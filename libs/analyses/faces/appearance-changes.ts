import { dot } from '../tracking/shots.js';

/** Appearance of a face, aligned at eyes, nose and mouth: 400 brightness values minus their mean, of length 1. */
export type FaceAppearance = Float32Array;

/** Correlation of two appearances below which another face may have taken the place. */
const OTHER_APPEARANCE = 0.7;

/**
 * Returns the sightings of a track before which the appearance changes, the greatest change first. On an unmoved
 * background only this reveals a cut. A turning face changes as much, so the embeddings of both sides decide.
 */
export function doubtfulChanges(sightings: readonly { appearance: FaceAppearance }[]): number[] {
  return sightings
    .flatMap(({ appearance }, at) => {
      const before = sightings[at - 1];
      const likeness = before === undefined ? 1 : dot(before.appearance, appearance);
      return likeness < OTHER_APPEARANCE ? [{ at, likeness }] : [];
    })
    .sort((a, b) => a.likeness - b.likeness)
    .map(({ at }) => at);
}
