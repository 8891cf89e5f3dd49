import { elementAt, float32At } from '@adit/contracts';

/** A token that may follow, and the logarithm of its probability. */
export interface Candidate {
  token: number;
  logProbability: number;
}

/** What is this much below the largest logit adds nothing to a sum of floats. */
const NOTHING = 25;

/** What the logarithm of a probability is a logit less, where `top` is the largest. */
export function normalOf(logits: Float32Array, top: number): number {
  let sum = 0;
  for (let i = 0; i < logits.length; i++) {
    const above = float32At(logits, i) - top;
    if (above > -NOTHING) sum += Math.exp(above);
  }
  return top + Math.log(sum);
}

/** The `count` likeliest tokens, the likeliest first; those that may not follow (-Infinity) are none of them. */
export function likeliest(logits: Float32Array, count: number): Candidate[] {
  const best: { token: number; logit: number }[] = [];
  let least = -Infinity;
  for (let token = 0; token < logits.length; token++) {
    const logit = float32At(logits, token);
    if (logit <= least) continue;
    const at = best.findIndex((other) => other.logit < logit);
    best.splice(at < 0 ? best.length : at, 0, { token, logit });
    if (best.length > count) best.pop();
    if (best.length === count) least = elementAt(best, count - 1).logit;
  }
  const normal = normalOf(logits, best[0]?.logit ?? 0);
  return best.map(({ token, logit }) => ({ token, logProbability: logit - normal }));
}
