/** Score from which an object is as likely there as not, and how fast that changes (docs/reference/quality.md, "Objects"). */
const EVEN_SCORE = 0.45;
const STEEPNESS = 12;

/**
 * How likely a detection of that score is right, 0..1. NanoDet's scores say how well a box fits rather than how sure it
 * is: hardly any passes 0.8. A logistic curve (Platt scaling, Platt 1999) turns them into shares of right ones, so that
 * `min_confidence` means what it says.
 */
export function confidenceOf(score: number): number {
  return 1 / (1 + Math.exp(-STEEPNESS * (score - EVEN_SCORE)));
}
