import { comparePictures, matchBoxes, type ComparedPicture, type Comparison } from '@adit/inference';
import type { ObjectObservations } from './observations.js';

/** Score from which an object counts that only one version saw. */
const SURE_FROM = 0.35;

/** Compares two versions of a detector frame by frame: overlapping boxes of the same label are the same object. */
export function compareObjects(stable: ObjectObservations, candidate: ObjectObservations): Comparison {
  return comparePictures(picturesOf(stable), picturesOf(candidate), { match: matchBoxes, sureFrom: SURE_FROM });
}

function picturesOf({ sampled, tracks }: ObjectObservations): ComparedPicture[] {
  const pictures = new Map(sampled.map(({ frame, time }) => [frame, pictureAt(frame, time)]));
  for (const { label, sightings } of tracks) {
    for (const { frame, score, box } of sightings) pictures.get(frame)?.seen.push({ label, score, box });
  }
  return [...pictures.values()];
}

function pictureAt(frame: number, time: number): ComparedPicture {
  return { frame, time, seen: [] };
}
