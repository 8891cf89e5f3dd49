import { elementAt, float32At } from '@adit/contracts';

/** A token that may follow, and the logarithm of its probability. */
export interface Candidate {
  token: number;
  logProbability: number;
}

/** A token that may follow, by what the model says of it before it is a probability. */
export interface RatedToken {
  token: number;
  logit: number;
}

/** What is this much below the largest logit adds nothing to a sum of floats. */
const NOTHING = 25;

/** The logarithm of the sum of the exponentials of the logits from a number on: what the logarithm of a probability is a logit less. */
export function sumOf(logits: Float32Array, from = 0): number {
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

/** The `count` largest logits above -Infinity, the largest first; the first of them all is that of token `first`. */
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

/** The `count` likeliest tokens, the likeliest first; those that may not follow (-Infinity) are none of them. */
export function likeliest(logits: Float32Array, count: number): Candidate[] {
  const normal = sumOf(logits);
  return largest(logits, count).map(({ token, logit }) => ({ token, logProbability: logit - normal }));
}
