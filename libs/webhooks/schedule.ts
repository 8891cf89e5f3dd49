/** Seconds between the end of one attempt and the next; the first follows the event at once. Together about 28 hours. */
export const RETRY_DELAYS_SECONDS = [0, 5, 300, 1800, 7200, 18_000, 36_000, 36_000] as const;
export const MAX_ATTEMPTS = RETRY_DELAYS_SECONDS.length;
/** A delay is at most this much longer, so that what failed together does not come back together. */
const JITTER = 0.2;

/**
 * Milliseconds to wait after `attempts` (1, 2, …) attempts that failed; null when they are used up. Jitter only adds, so
 * that no retry comes earlier than the schedule says.
 *
 * @param askedSeconds what the receiver asked for in `Retry-After`: the longer of both, up to a day.
 */
export function retryDelay(attempts: number, askedSeconds = 0, random: () => number = Math.random): number | null {
  const seconds = RETRY_DELAYS_SECONDS[attempts];
  if (seconds === undefined) return null;
  return Math.round(Math.max(seconds * (1 + JITTER * random()), Math.min(askedSeconds, 86_400)) * 1000);
}
