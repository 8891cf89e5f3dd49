import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffDelay } from './backoff.js';

it('doubles up to its cap', () => {
  const delays = [1, 2, 3, 4, 5].map((failures) => backoffDelay(failures, { baseMs: 500, maxMs: 5_000 }, () => 0));
  expect(delays).toEqual([500, 1_000, 2_000, 4_000, 5_000]);
});

it('stays between its share of the full delay and the cap, whatever the numbers', () => {
  const policy = fc.record({
    baseMs: fc.integer({ min: 1, max: 10_000 }),
    maxMs: fc.integer({ min: 1, max: 100_000 }),
    factor: fc.double({ min: 1, max: 4, noNaN: true }),
    jitter: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.integer({ min: -1, max: 5_000 }), policy, fc.double({ min: 0, max: 1, noNaN: true }), (n, it, r) => {
      const delay = backoffDelay(n, it, () => r);
      const full = backoffDelay(n, { ...it, jitter: 0 });
      expect(delay).toBeLessThanOrEqual(it.maxMs);
      expect(delay).toBeGreaterThanOrEqual(full * (1 - it.jitter) - 1e-6);
      expect(backoffDelay(n + 1, { ...it, jitter: 0 })).toBeGreaterThanOrEqual(full);
    }),
  );
});
