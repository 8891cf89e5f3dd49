import type { Box } from '@adit/contracts';
import { intersectionOverUnion } from '@adit/module-kit';

/** A labelled object. */
export interface TrueBox {
  label: string;
  /** In fractions of the picture. */
  box: Box;
  /** A group that was not counted: findings in it are neither right nor wrong. */
  isCrowd: boolean;
}

/** An object found by a model. */
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

/** A finding, and whether it is right: `null` where it is ignored. */
export interface Judged {
  score: number;
  isRight: boolean | null;
}

export interface JudgedBox extends Judged {
  found: FoundBox;
  /** Labelled object that it was matched with. */
  truth: TrueBox | null;
}

/** Limit of counted findings of one label per picture, the surest first. */
export const MAX_FOUND = 100;
/** Overlaps that COCO averages over. */
export const OVERLAPS: readonly number[] = Array.from({ length: 10 }, (_, at) => (50 + 5 * at) / 100);
/** Steps of recall that precision is averaged over. */
const RECALLS = 100;

/**
 * Matches the findings of one label in one picture, the surest first, with the unmatched labelled object of largest
 * overlap (intersection over union), from `least` on; a crowd takes any number. The algorithm is COCO's
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
  // Slightly lower, since 0.5 may be computed as 0.4999999999999999.
  let most = least - 1e-10;
  for (const one of truth) {
    const common = overlapOf(box, one);
    if (common < most) continue;
    most = common;
    best = one;
  }
  return best;
}

/** Overlap with a crowd: the share of the box that lies in it, however large the crowd is. */
function overlapOf(box: Box, { box: other, isCrowd }: TrueBox): number {
  const common = intersectionOverUnion(box, other);
  if (!isCrowd || common === 0) return common;
  const area = box.w * box.h;
  return ((common / (1 + common)) * (area + other.w * other.h)) / area;
}

/**
 * Area under the precision-recall curve: the mean, over recalls of 0, 0.01 … 1, of the best precision at that recall or
 * more. Null without labelled objects.
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
    // Compared as integers: a recall of 0.57 is reached by 57 of 100.
    while (at < curve.length && (curve[at]?.right ?? 0) * RECALLS < step * labelled) at += 1;
    sum += curve[at]?.precision ?? 0;
  }
  return sum / (RECALLS + 1);
}

/** Findings of a label in all pictures, matched, and the number of its labelled objects. */
export interface JudgedLabel {
  judged: Judged[];
  labelled: number;
}

/** Groups by label, at an overlap, for labels that occur in the pictures or findings. */
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
  /** Average precision at an overlap of 0.5, and its mean over 0.5 to 0.95. Null without labelled objects. */
  ap50: number | null;
  ap: number | null;
}

/** Computes COCO's two measures by label, and the means over labels with labelled objects. */
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

/** Mean of the known values; null without any. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function surestFirst<T extends { score: number }>(found: readonly T[]): T[] {
  return [...found].sort((a, b) => b.score - a.score);
}
