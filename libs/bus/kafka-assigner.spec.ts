import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shareOut } from './kafka-assigner.js';
import type { Candidate } from './kafka-assigner.js';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const newcomer = (id: string): Candidate => ({ id, owned: [], busy: [] });

/** Members that claim anything, the same partition twice and partitions that are none included. */
const members: fc.Arbitrary<Candidate[]> = fc.uniqueArray(
  fc.record({ id: fc.string({ minLength: 1 }), owned: fc.array(fc.nat(30)), busy: fc.array(fc.nat(30)) }),
  { minLength: 1, maxLength: 8, selector: ({ id }) => id },
);

describe('sharing out partitions', () => {
  it('gives each partition to one member, evenly', () => {
    fc.assert(
      fc.property(fc.nat(24), members, (count, group) => {
        const shares = [...shareOut(range(count), group).values()];
        expect(shares.flat().sort((a, b) => a - b)).toEqual(range(count));
        const sizes = shares.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('changes nothing when nothing has changed', () => {
    fc.assert(
      fc.property(fc.nat(24), members, (count, group) => {
        const before = shareOut(range(count), group);
        const again = [...before].map(([id, owned]) => ({ id, owned, busy: [] }));
        expect(new Map(shareOut(range(count), again.reverse()))).toEqual(before);
      }),
    );
  });

  it('moves only what a newcomer needs, and nothing that is worked on if that can be', () => {
    fc.assert(
      fc.property(fc.nat(24), members, fc.gen(), (count, group, gen) => {
        const before = [...shareOut(range(count), group)].map(([id, owned]) => ({
          id,
          owned,
          busy: gen(fc.subarray, owned),
        }));
        const least = Math.floor(count / (before.length + 1));
        const after = shareOut(range(count), [...before, newcomer('\uffff newcomer')]);
        for (const { id, owned, busy } of before) {
          const share = after.get(id) ?? [];
          expect(owned).toEqual(expect.arrayContaining(share));
          if (busy.length <= least) expect(share).toEqual(expect.arrayContaining(busy));
        }
      }),
    );
  });

  it('gives what a member leaves behind to the others, who keep theirs', () => {
    const shares = shareOut(range(6), [
      { id: 'a', owned: [0, 1], busy: [1] },
      { id: 'b', owned: [2, 3], busy: [] },
    ]);
    expect(shares.get('a')).toEqual([0, 1, 4]);
    expect(shares.get('b')).toEqual([2, 3, 5]);
  });
});
