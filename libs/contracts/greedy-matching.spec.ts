import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matchGreedily } from './greedy-matching.js';

const pairsOf = fc.array(
  fc.record({
    left: fc.nat(6),
    right: fc.nat(6),
    cost: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true })),
  }),
  { maxLength: 30 },
);

describe('greedy matching', () => {
  it('takes the best pair first, though two others would cost less together', () => {
    const pairs = [
      { left: 'a', right: 1, cost: 0.1 },
      { left: 'a', right: 2, cost: 0.2 },
      { left: 'b', right: 1, cost: 0.2 },
      { left: 'b', right: 2, cost: 9 },
    ];
    expect(matchGreedily(pairs)).toEqual([pairs[0], pairs[3]]);
  });

  it('has nothing twice, leaves no pair out that nothing speaks against, and breaks ties by the order given', () => {
    fc.assert(
      fc.property(pairsOf, (pairs) => {
        const before = structuredClone(pairs);
        const chosen = matchGreedily(pairs);
        expect(pairs).toEqual(before);
        expect(new Set(chosen.map(({ left }) => left)).size).toBe(chosen.length);
        expect(new Set(chosen.map(({ right }) => right)).size).toBe(chosen.length);
        // Each unmatched pair lost to a pair that shares a thing with it and is no worse, and came first if it is
        // equal.
        for (const [at, pair] of pairs.entries()) {
          if (chosen.includes(pair)) continue;
          const beaten = chosen.some(
            (better) =>
              (better.left === pair.left || better.right === pair.right) &&
              (better.cost < pair.cost || (better.cost === pair.cost && pairs.indexOf(better) < at)),
          );
          expect(beaten).toBe(true);
        }
        // Best first.
        expect(chosen.every(({ cost }, at) => at === 0 || cost >= (chosen[at - 1]?.cost ?? cost))).toBe(true);
      }),
    );
  });
});
