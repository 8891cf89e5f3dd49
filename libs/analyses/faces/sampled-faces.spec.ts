import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { searchOrder } from './sampled-faces.js';

describe('searchOrder', () => {
  it('searches a sample every two seconds, the first and the last', () => {
    const times = Array.from({ length: 12 }, (_, index) => index / 2);
    expect(searchOrder(times)).toEqual([
      { index: 0, searched: [] },
      { index: 4, searched: [] },
      ...[1, 2, 3].map((index) => ({ index, searched: [0, 4] })),
      { index: 8, searched: [] },
      ...[5, 6, 7].map((index) => ({ index, searched: [4, 8] })),
      { index: 11, searched: [] },
      ...[9, 10].map((index) => ({ index, searched: [8, 11] })),
    ]);
  });

  it('searches every sample of a slow rate', () => {
    expect(searchOrder([0, 4, 8]).map(({ searched }) => searched)).toEqual([[], [], []]);
  });

  it('searches a photo', () => {
    expect(searchOrder([0])).toEqual([{ index: 0, searched: [] }]);
    expect(searchOrder([])).toEqual([]);
  });

  it('looks at each sample once, after those that narrow its search', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.double({ min: 0, max: 60, noNaN: true }), { maxLength: 60 }), (times) => {
        times.sort((a, b) => a - b);
        const order = searchOrder(times);
        expect(order.map(({ index }) => index).sort((a, b) => a - b)).toEqual([...times.keys()]);
        for (const [at, { index, searched }] of order.entries()) {
          for (const other of searched) {
            expect(order.slice(0, at)).toContainEqual({ index: other, searched: [] });
            expect(other).not.toBe(index);
          }
          if (searched.length > 0) expect(times[searched[1]!]! - times[searched[0]!]!).toBeLessThanOrEqual(2.1);
        }
      }),
    );
  });
});
