/** Two things that may be one; the lower the cost, the better they fit. */
export interface Pair<Left, Right> {
  left: Left;
  right: Right;
  cost: number;
}

/**
 * One-to-one matching, best pair first: nothing is in two of the pairs that are answered, and of pairs that cost the same the
 * one that was given first is taken. Returns them best first. Greedy, since a pair that fits is not to be broken for the sake
 * of others: the sum of costs may be more than the least possible. O(n log n) in the number of pairs.
 */
export function matchGreedily<Given extends Pair<unknown, unknown>>(pairs: readonly Given[]): Given[] {
  const [lefts, rights] = [new Set(), new Set()];
  // sort() is stable.
  return [...pairs]
    .sort((a, b) => a.cost - b.cost)
    .filter(({ left, right }) => {
      if (lefts.has(left) || rights.has(right)) return false;
      lefts.add(left);
      rights.add(right);
      return true;
    });
}
