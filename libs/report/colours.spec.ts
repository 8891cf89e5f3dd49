import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { huesOf } from './colours.js';

describe('huesOf', () => {
  it('gives neighbours colours that differ, and nobody the same one among the first', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 300 }), (labels) => {
        const hues = huesOf(labels);
        const shown = labels.map((label) => hues.get(label)!);
        expect(new Set(shown.slice(0, 6)).size).toBe(Math.min(6, labels.length));
        for (const [at, hue] of shown.entries()) {
          for (const before of shown.slice(Math.max(0, at - 2), at)) {
            const apart = Math.abs(hue - before);
            expect(Math.min(apart, 360 - apart)).toBeGreaterThanOrEqual(60);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keeps the colour of whoever is alone or first', () => {
    const hue = huesOf(['Ann']).get('Ann');
    expect(huesOf(['Ann', 'Bob', 'Eve']).get('Ann')).toBe(hue);
  });
});
