import { matchGreedily } from '@adit/contracts';
import { comparePictures, overlap, type ComparedPicture, type Comparison, type MatchSeen } from '@adit/inference';
import type { ObjectObservations } from './observations.js';

/** Intersection over union from which two boxes of a label are the same thing, as PASCAL VOC counts. */
const SAME_FROM = 0.5;
/** Scores from which an object counts that only one version saw. */
const SURE_FROM = 0.35;

/** What two versions of a detector saw, frame by frame: boxes of the same label that overlap are the same object. */
export function compareObjects(stable: ObjectObservations, candidate: ObjectObservations): Comparison {
  return comparePictures(picturesOf(stable), picturesOf(candidate), { match, sureFrom: SURE_FROM });
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
