import { comparePictures, matchBoxes, type ComparedPicture, type Comparison } from '@adit/inference';
import { uprightBox, type TextObservations } from './observations.js';

/** Confidence from which a line counts that only one version read. */
const SURE_FROM = 0.6;

/** Compares two versions of a text detector or recogniser frame by frame: the same text in the same place matches. */
export function compareText(stable: TextObservations, candidate: TextObservations): Comparison {
  return comparePictures(picturesOf(stable), picturesOf(candidate), {
    match: matchBoxes,
    sureFrom: SURE_FROM,
    countedAs: 'text',
  });
}

function picturesOf({ sampled, tracks }: TextObservations): ComparedPicture[] {
  const pictures = new Map(
    sampled.map(({ frame, time }): [number, ComparedPicture] => [frame, { frame, time, seen: [] }]),
  );
  for (const { text, confidence, sightings } of tracks) {
    for (const { frame, corners } of sightings) {
      pictures.get(frame)?.seen.push({ label: text, score: confidence, box: uprightBox(corners) });
    }
  }
  return [...pictures.values()];
}
