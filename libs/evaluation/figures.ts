import { intersectionOverUnion } from '@adit/module-kit';
import {
  judge,
  judgeByLabel,
  meanAveragePrecision,
  type Judged,
  type JudgedBox,
  type JudgedPicture,
} from './average-precision.js';
import { bestPoint, pointAt, thresholdCurve, type CurvePoint } from './threshold-curve.js';

/** Objects of one label that were taken for another. */
export interface Confusion {
  label: string;
  said: string;
  count: number;
}

export interface LabelFigures {
  label: string;
  /** Number of its labelled objects, or pictures. */
  labelled: number;
  /** At the threshold. */
  precision: number | null;
  recall: number | null;
  /** Average precision, for detectors only. */
  ap50: number | null;
  ap: number | null;
}

/**
 * Figures of a model on labelled pictures. Shares are 0..1; null without a denominator, or for another kind of model.
 */
export interface Figures {
  pictures: number;
  labelled: number;
  /** Detectors only: COCO's measures, at an overlap of 0.5 and as a mean from 0.5 to 0.95. */
  map50: number | null;
  map: number | null;
  /** Classifiers only: the share of pictures whose surest label is right, 0..1. */
  accuracy: number | null;
  /** At the requested threshold, and where F1 is highest. Boxes are right from an overlap of 0.5 on. */
  at: CurvePoint;
  best: CurvePoint | null;
  curve: CurvePoint[];
  /** The most frequent first. */
  labels: LabelFigures[];
  confusions: Confusion[];
}

const OVERLAP = 0.5;

/** Figures of boxes. `threshold` is 0..1. */
export function detectorFigures(pictures: readonly JudgedPicture[], threshold: number): Figures {
  const { map50, map, labels } = meanAveragePrecision(pictures);
  const byLabel = judgeByLabel(pictures, OVERLAP);
  const judged = [...byLabel.values()].flatMap((label) => label.judged);
  const labelled = [...byLabel.values()].reduce((sum, label) => sum + label.labelled, 0);
  return {
    ...{ pictures: pictures.length, labelled, map50, map, accuracy: null },
    ...pointsOf(judged, labelled, threshold),
    labels: sorted(
      [...byLabel].map(([label, one]) => {
        const { precision, recall } = pointAt(one.judged, one.labelled, threshold);
        const { ap50 = null, ap = null } = labels.get(label) ?? {};
        return { label, labelled: one.labelled, precision, recall, ap50, ap };
      }),
    ),
    confusions: counted(pictures.flatMap((picture) => confusedBoxes(picture, threshold))),
  };
}

/** A classifier's answer for a picture of one label; null without one. */
export interface Answer {
  label: string;
  said: { label: string; score: number } | null;
}

export function classifierFigures(answers: readonly Answer[], threshold: number): Figures {
  const judged = judgedAnswers(answers);
  const labels = new Set(answers.flatMap(({ label, said }) => (said === null ? [label] : [label, said.label])));
  const wrong = answers.flatMap(({ label, said }) =>
    said === null || said.label === label || said.score < threshold ? [] : [{ label, said: said.label }],
  );
  return {
    ...{ pictures: answers.length, labelled: answers.length, map50: null, map: null },
    accuracy: pointAt(judged, answers.length, 0).recall,
    ...pointsOf(judged, answers.length, threshold),
    labels: sorted(
      [...labels].map((label) => {
        const labelled = answers.filter((answer) => answer.label === label).length;
        const said = judgedAnswers(answers.filter((answer) => answer.said?.label === label));
        const { precision, recall } = pointAt(said, labelled, threshold);
        return { label, labelled, precision, recall, ap50: null, ap: null };
      }),
    ),
    confusions: counted(wrong),
  };
}

function judgedAnswers(answers: readonly Answer[]): Judged[] {
  return answers.flatMap(({ label, said }) =>
    said === null ? [] : [{ score: said.score, isRight: said.label === label }],
  );
}

function pointsOf(
  judged: readonly Judged[],
  labelled: number,
  threshold: number,
): Pick<Figures, 'at' | 'best' | 'curve'> {
  const curve = thresholdCurve(judged, labelled);
  return { at: pointAt(judged, labelled, threshold), best: bestPoint(curve), curve };
}

/** Returns labelled objects that were not found, but with a finding of another label in their place. */
function confusedBoxes({ truth, found }: JudgedPicture, threshold: number): Omit<Confusion, 'count'>[] {
  const sure = found.filter(({ score }) => score >= threshold);
  const judged = [...new Set(sure.map(({ label }) => label))].flatMap((label): JudgedBox[] => {
    const said = sure.filter((one) => one.label === label);
    return judge(
      truth.filter((one) => one.label === label),
      said,
      OVERLAP,
    );
  });
  const right = new Set(judged.map((one) => one.truth));
  const wrong = judged.filter(({ isRight }) => isRight === false).map((one) => one.found);
  const missed = truth.filter((one) => !one.isCrowd && !right.has(one));
  const pairs = missed
    .flatMap((one) => wrong.map((said) => ({ one, said, common: intersectionOverUnion(one.box, said.box) })))
    .filter(({ common }) => common >= OVERLAP)
    .sort((a, b) => b.common - a.common);
  const used = new Set<object>();
  return pairs.flatMap(({ one, said }) => {
    if (used.has(one) || used.has(said)) return [];
    used.add(one).add(said);
    return [{ label: one.label, said: said.label }];
  });
}

function counted(wrong: readonly Omit<Confusion, 'count'>[]): Confusion[] {
  const pairs = new Map<string, Confusion>();
  for (const { label, said } of wrong) {
    const key = JSON.stringify([label, said]);
    const pair = pairs.get(key) ?? { label, said, count: 0 };
    pairs.set(key, { ...pair, count: pair.count + 1 });
  }
  return [...pairs.values()].sort((a, b) => b.count - a.count || byText(a.label, b.label) || byText(a.said, b.said));
}

function sorted(labels: LabelFigures[]): LabelFigures[] {
  return labels.sort((a, b) => b.labelled - a.labelled || byText(a.label, b.label));
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
