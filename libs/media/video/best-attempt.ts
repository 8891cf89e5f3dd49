/**
 * Where decoding began: the time of the first picture that came out; `nowhere` when there was none, `elsewhere` when it is
 * known not to be where it claims to be.
 */
export type Landing = number | 'nowhere' | 'elsewhere';

/**
 * Tries one start after the other until one begins early enough, and gives the attempt that shows most: containers differ
 * in where a seek lands, and a keyframe is not always a place to start from. What is missing behind an early landing is
 * damage, and so is what two starts in a row land behind: going further back would find no more. An attempt that fails
 * takes nothing from the one before it, unless all was told to stop.
 *
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
