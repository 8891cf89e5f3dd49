import { matchGreedily } from '@adit/contracts';
import { comparePictures, overlap, type ComparedPicture, type Comparison, type MatchSeen } from '@adit/inference';
import { uprightBox, type TextObservations } from './observations.js';

/** Intersection over union from which two boxes are of the same line. */
const SAME_FROM = 0.5;
/** Confidences from which a line counts that only one version read. */
const SURE_FROM = 0.6;

/** What two versions of a finder or a reader read, frame by frame: the same text in the same place. */
export function compareText(stable: TextObservations, candidate: TextObservations): Comparison {
  return comparePictures(picturesOf(stable), picturesOf(candidate), { match, sureFrom: SURE_FROM, countedAs: 'text' });
}

const match: MatchSeen = (stable, candidate) =>
  matchGreedily(
    stable.flatMap((left) =>
      candidate.flatMap((right) => {
        if (left.label !== right.label || left.box === null || right.box === null) return [];
        const common = overlap(left.box, right.box);
        return common < SAME_FROM ? [] : { left, right, cost: -common };
      }),
    ),
  );

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
