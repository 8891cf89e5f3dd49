/**
 * Landing of a seek: the time of the first decoded picture; `nowhere` without any, `elsewhere` when it is known not to
 * be where it claims.
 */
export type Landing = number | 'nowhere' | 'elsewhere';

/**
 * Tries one start after the other until one begins early enough, and returns the attempt that shows most, because
 * containers differ in where a seek lands and decoding cannot start at every keyframe. Pictures missing after an early
 * landing are damaged, as are those that two starts in a row miss: starting earlier would not find them. A failed
 * attempt keeps the result of the one before, unless the run is aborted.
 * @param latest time at which the first picture may come.
 */
export async function bestAttempt<S, A extends { landing: Landing; count: number }>(
  starts: readonly S[],
  latest: number,
  attempt: (start: S, number: number) => Promise<A>,
  signal?: AbortSignal,
): Promise<A | undefined> {
  let best: A | undefined;
  let previous: Landing = 'nowhere';
  for (const [number, start] of starts.entries()) {
    let outcome: A;
    try {
      outcome = await attempt(start, number);
    } catch (error) {
      if (best !== undefined && best.count > 0 && !signal?.aborted) return best;
      throw error;
    }
    const { landing, count } = outcome;
    if (landing === 'elsewhere') continue;
    if (best === undefined || count > best.count) best = outcome;
    if (landing !== 'nowhere' && (landing <= latest || landing === previous)) break;
    previous = landing;
  }
  return best;
}
