import { elementAt, float32At } from '@adit/contracts';

/** A candidate token, and the logarithm of its probability. */
export interface Candidate {
  token: number;
  logProbability: number;
}

/** A candidate token with its logit. */
export interface RatedToken {
  token: number;
  logit: number;
}

/** Logits this far below the largest add nothing to a sum of floats. */
const NOTHING = 25;

/** Returns the log-sum-exp of the logits from an index on; a logit minus it is a log probability. */
export function logSumExp(logits: Float32Array, from = 0): number {
  let top = -Infinity;
  for (let i = from; i < logits.length; i++) if (float32At(logits, i) > top) top = float32At(logits, i);
  if (top === -Infinity) return top;
  let sum = 0;
  for (let i = from; i < logits.length; i++) {
    const above = float32At(logits, i) - top;
    if (above > -NOTHING) sum += Math.exp(above);
  }
  return top + Math.log(sum);
}

/** Returns the `count` largest logits above -Infinity, the largest first; the first of all belongs to token `first`. */
export function largest(logits: Float32Array, count: number, first = 0): RatedToken[] {
  const best: RatedToken[] = [];
  let least = -Infinity;
  for (let i = 0; i < logits.length; i++) {
    const logit = float32At(logits, i);
    if (logit <= least) continue;
    const at = best.findIndex((other) => other.logit < logit);
    best.splice(at < 0 ? best.length : at, 0, { token: first + i, logit });
    if (best.length > count) best.pop();
    if (best.length === count) least = elementAt(best, count - 1).logit;
  }
  return best;
}

/** Returns the `count` likeliest tokens, the likeliest first, without forbidden ones (-Infinity). */
export function likeliest(logits: Float32Array, count: number): Candidate[] {
  const normal = logSumExp(logits);
  return largest(logits, count).map(({ token, logit }) => ({ token, logProbability: logit - normal }));
}
