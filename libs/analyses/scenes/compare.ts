import { comparePictures, type ComparedPicture, type Comparison, type MatchSeen } from '@adit/inference';
import type { SceneObservations } from './observations.js';

/** Score from which a label counts that only one version gave. */
const SURE_FROM = 0.35;

/** Compares two versions of a classifier on the same frames, label by label. */
export function compareScenes(stable: SceneObservations, candidate: SceneObservations): Comparison {
  return comparePictures(picturesOf(stable), picturesOf(candidate), { match, sureFrom: SURE_FROM });
}

const match: MatchSeen = (stable, candidate) => {
  const others = new Map(candidate.map((each) => [each.label, each]));
  return stable.flatMap((left) => {
    const right = others.get(left.label);
    return right === undefined ? [] : { left, right };
  });
};

function picturesOf({ sampled }: SceneObservations): ComparedPicture[] {
  return sampled.map(({ frame, time, scenes }) => ({
    frame,
    time,
    seen: scenes.map(({ label, score }) => ({ label, score, box: null })),
  }));
}
