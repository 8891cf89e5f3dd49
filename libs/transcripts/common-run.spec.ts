import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { commonRun } from './common-run.js';

/** Length of the longest common subsequence, by the table of all lengths. */
function longest(a: string[], b: string[]): number {
  let lengths = new Array<number>(b.length + 1).fill(0);
  for (const left of a) {
    const next = [0];
    for (const [at, right] of b.entries()) {
      next.push(left === right ? lengths[at]! + 1 : Math.max(next[at]!, lengths[at + 1]!));
    }
    lengths = next;
  }
  return lengths.at(-1)!;
}

describe('the common subsequence of two lists', () => {
  it('the subsequence is as long as it can be, in both in order', () => {
    // More than the bits of a word, and no more.
    const letters = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 80, size: 'max' });
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        const pairs = commonRun(a, b);
        expect(pairs).toHaveLength(longest(a, b));
        pairs.forEach(([left, right], at) => {
          expect(a[left]).toBe(b[right]);
          if (at > 0) expect(left > pairs[at - 1]![0] && right > pairs[at - 1]![1]).toBe(true);
        });
      }),
    );
  });

  /** @hardening overload: A transcript's word of marks alone holds the gateway */
  it('the subsequence is found in texts of 10,000 words', () => {
    const a = Array.from({ length: 10_000 }, (_, at) => `${at % 7}`);
    const b = a.map((word, at) => (at % 2 === 0 ? word : 'x'));
    expect(commonRun(['first', ...a, 'a'], [...b, 'b']).length).toBeGreaterThanOrEqual(5_000);
  });
});
