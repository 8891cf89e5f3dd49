import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_ATTEMPTS, RETRY_DELAYS_SECONDS, retryDelay } from './schedule.js';

const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('the schedule of attempts', () => {
  it('is the one that was decided', () => {
    const hours = 3600;
    expect(RETRY_DELAYS_SECONDS).toEqual([0, 5, 300, 1800, 2 * hours, 5 * hours, 10 * hours, 10 * hours]);
    expect(MAX_ATTEMPTS).toBe(8);
  });

  it('never retries early, never more than a fifth late, and ends after the eighth attempt', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), random, (attempts, chance) => {
        const delay = retryDelay(attempts, 0, () => chance);
        if (attempts >= 8) return expect(delay).toBeNull();
        const planned = RETRY_DELAYS_SECONDS[attempts]! * 1000;
        expect(delay).toBeGreaterThanOrEqual(planned);
        expect(delay).toBeLessThanOrEqual(planned * 1.2);
      }),
    );
  });

  it('waits as long as the receiver asks, but a day at the most, and gains no attempt by it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 7 }),
        fc.double({ min: 0, max: 1e9, noNaN: true }),
        random,
        (attempts, asked, chance) => {
          const delay = retryDelay(attempts, asked, () => chance)!;
          expect(delay).toBeGreaterThanOrEqual(Math.floor(Math.min(asked, 86_400) * 1000));
          expect(delay).toBeLessThanOrEqual(86_400_000);
          expect(delay).toBeGreaterThanOrEqual(retryDelay(attempts, 0, () => 0)!);
        },
      ),
    );
    expect(retryDelay(8, 60)).toBeNull();
  });
});
