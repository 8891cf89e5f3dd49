/**
 * Score from which an object is as likely there as not, and the steepness of the curve (docs/reference/quality.md,
 * "Objects").
 */
const EVEN_SCORE = 0.45;
const STEEPNESS = 12;

/**
 * Returns the probability, 0..1, that a detection with a score is right. NanoDet's scores rate the fit of a box rather
 * than certainty, and hardly any exceeds 0.8. A logistic curve (Platt scaling, Platt 1999) turns them into shares of
 * right ones, so that `min_confidence` means what it says.
 */
export function confidenceOf(score: number): number {
  return 1 / (1 + Math.exp(-STEEPNESS * (score - EVEN_SCORE)));
}
