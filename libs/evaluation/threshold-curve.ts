import type { Judged } from './average-precision.js';

/** Figures of a model at one confidence threshold. */
export interface CurvePoint {
  /** 0..1 */
  threshold: number;
  /** Share of right ones among the findings; null without findings. */
  precision: number | null;
  /** Share of labelled objects that were found; null without any. */
  recall: number | null;
  /** Harmonic mean; null where either is. */
  f1: number | null;
}

const STEPS = 100;

/** Computes the curve at thresholds of 0, 0.01 … 1, without ignored findings. */
export function thresholdCurve(judged: readonly Judged[], labelled: number): CurvePoint[] {
  return Array.from({ length: STEPS + 1 }, (_, step) => pointAt(judged, labelled, step / STEPS));
}

export function pointAt(judged: readonly Judged[], labelled: number, threshold: number): CurvePoint {
  let said = 0;
  let right = 0;
  for (const { score, isRight } of judged) {
    if (isRight === null || score < threshold) continue;
    said += 1;
    if (isRight) right += 1;
  }
  const precision = said === 0 ? null : right / said;
  const recall = labelled === 0 ? null : right / labelled;
  return { threshold, precision, recall, f1: harmonic(precision, recall) };
}

/** Returns the point of the highest F1, of several the lowest threshold; null where no point has one. */
export function bestPoint(curve: readonly CurvePoint[]): CurvePoint | null {
  let best: CurvePoint | null = null;
  for (const point of curve) if (point.f1 !== null && point.f1 > (best?.f1 ?? -1)) best = point;
  return best;
}

function harmonic(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return null;
  return a + b === 0 ? 0 : (2 * a * b) / (a + b);
}
