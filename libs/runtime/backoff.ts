export interface BackoffPolicy {
  /** Milliseconds before the first repetition. */
  baseMs: number;
  /** No delay is longer, jitter included. */
  maxMs: number;
  factor?: number;
  /** Share of the delay that is random, 0..1: 0.5 gives 50 % to 100 % of the exponential delay. */
  jitter?: number;
}

/** Milliseconds to wait after `failures` (1, 2, …) failures in a row: exponential, capped, with jitter against herds. */
export function backoffDelay(failures: number, policy: BackoffPolicy, random: () => number = Math.random): number {
  const { baseMs, maxMs, factor = 2, jitter = 0.5 } = policy;
  const full = Math.min(maxMs, baseMs * factor ** (Math.max(1, failures) - 1));
  return full * (1 - jitter * random());
}
