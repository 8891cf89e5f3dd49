import type { Box } from '@adit/contracts';
import { intersectionOverUnion } from '@adit/module-kit';

/** A thing that was labelled. */
export interface TrueBox {
  label: string;
  /** In fractions of the picture. */
  box: Box;
  /** A group that nobody counted: what is found in it is neither right nor wrong. */
  isCrowd: boolean;
}

/** A thing that a model found. */
export interface FoundBox {
  label: string;
  box: Box;
  /** 0..1 */
  score: number;
}

export interface JudgedPicture {
  truth: readonly TrueBox[];
  found: readonly FoundBox[];
}

/** Something found, and whether it is right: `null` where it counts neither way. */
export interface Judged {
  score: number;
  isRight: boolean | null;
}

export interface JudgedBox extends Judged {
  found: FoundBox;
  /** What it was taken for. */
  truth: TrueBox | null;
}

/** Things of one label in one picture that count, the surest first. */
export const MAX_FOUND = 100;
/** Overlaps that COCO averages over. */
export const OVERLAPS: readonly number[] = Array.from({ length: 10 }, (_, at) => (50 + 5 * at) / 100);
/** Steps of recall that precision is averaged over. */
const RECALLS = 100;

/**
 * Gives what was found of one label in one picture, the surest first, the labelled thing that it overlaps most and nothing else
 * has, from an overlap (intersection over union) of `least` on; a crowd takes any number. As COCO's own code does it
 * (https://cocodataset.org/#detection-eval, cocoeval.py).
 */
export function judge(truth: readonly TrueBox[], found: readonly FoundBox[], least: number): JudgedBox[] {
  const free = new Set(truth.filter(({ isCrowd }) => !isCrowd));
  const crowds = truth.filter(({ isCrowd }) => isCrowd);
  return surestFirst(found)
    .slice(0, MAX_FOUND)
    .map((one) => {
      const best = bestOf(free, one.box, least);
      if (best !== null) free.delete(best);
      const isIgnored = best === null && bestOf(crowds, one.box, least) !== null;
      return { score: one.score, isRight: isIgnored ? null : best !== null, found: one, truth: best };
    });
}

function bestOf(truth: Iterable<TrueBox>, box: Box, least: number): TrueBox | null {
  let best: TrueBox | null = null;
  // A hair below: 0.5 is met by what is computed as 0.4999999999999999.
  let most = least - 1e-10;
  for (const one of truth) {
    const common = overlapOf(box, one);
    if (common < most) continue;
    most = common;
    best = one;
  }
  return best;
}

/** Of a crowd it is the share of the box that lies in it, however large that is. */
function overlapOf(box: Box, { box: other, isCrowd }: TrueBox): number {
  const common = intersectionOverUnion(box, other);
  if (!isCrowd || common === 0) return common;
  const area = box.w * box.h;
  return ((common / (1 + common)) * (area + other.w * other.h)) / area;
}

/**
 * The area below the curve of precision over recall: the mean, over recalls of 0, 0.01 … 1, of the best precision that some
 * threshold of that recall or more has. Null where nothing was labelled.
 */
export function averagePrecision(judged: readonly Judged[], labelled: number): number | null {
  if (labelled === 0) return null;
  const counted = surestFirst(judged).filter(({ isRight }) => isRight !== null);
  let right = 0;
  const curve = counted.map(({ isRight }, at) => {
    if (isRight === true) right += 1;
    return { right, precision: right / (at + 1) };
  });
  let best = 0;
  for (const point of curve.toReversed()) {
    best = Math.max(best, point.precision);
    point.precision = best;
  }
  let sum = 0;
  let at = 0;
  for (let step = 0; step <= RECALLS; step += 1) {
    // In whole numbers: a recall of 0.57 is met by 57 of 100.
    while (at < curve.length && (curve[at]?.right ?? 0) * RECALLS < step * labelled) at += 1;
    sum += curve[at]?.precision ?? 0;
  }
  return sum / (RECALLS + 1);
}

/** What was found of a label in all pictures, judged, and how many things of it were labelled. */
export interface JudgedLabel {
  judged: Judged[];
  labelled: number;
}

/** By label, at an overlap; of labels that are in the pictures or were found there. */
export function judgeByLabel(pictures: readonly JudgedPicture[], least: number): Map<string, JudgedLabel> {
  const labels = new Map<string, JudgedLabel>();
  for (const { truth, found } of pictures) {
    for (const label of new Set([...truth, ...found].map((one) => one.label))) {
      const known = labels.get(label) ?? { judged: [], labelled: 0 };
      const there = truth.filter((one) => one.label === label);
      const said = found.filter((one) => one.label === label);
      known.judged.push(...judge(there, said, least));
      known.labelled += there.filter(({ isCrowd }) => !isCrowd).length;
      labels.set(label, known);
    }
  }
  return labels;
}

export interface LabelPrecision {
  /** Average precision at an overlap of 0.5, and its mean over those from 0.5 to 0.95. Null where nothing was labelled. */
  ap50: number | null;
  ap: number | null;
}

/** COCO's two measures: by label, and the means over the labels of which something was labelled. */
export function meanAveragePrecision(pictures: readonly JudgedPicture[]): {
  map50: number | null;
  map: number | null;
  labels: Map<string, LabelPrecision>;
} {
  const byOverlap = OVERLAPS.map((least) => judgeByLabel(pictures, least));
  const labels = new Map<string, LabelPrecision>();
  for (const label of byOverlap[0]?.keys() ?? []) {
    const each = byOverlap.map((judged) => {
      const { judged: said, labelled } = judged.get(label) ?? { judged: [], labelled: 0 };
      return averagePrecision(said, labelled);
    });
    labels.set(label, { ap50: each[0] ?? null, ap: meanOf(each) });
  }
  const all = [...labels.values()];
  return { map50: meanOf(all.map(({ ap50 }) => ap50)), map: meanOf(all.map(({ ap }) => ap)), labels };
}

/** Of those that there are; null of none. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function surestFirst<T extends { score: number }>(found: readonly T[]): T[] {
  return [...found].sort((a, b) => b.score - a.score);
}
