import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Caller, Limits } from '../http/caller.js';
import { RateLimits } from './rate-limits.js';
import { TokenBucket } from './token-bucket.js';

const caller = (keyId: string, limits: Partial<Limits> = {}): Caller => ({
  kind: 'api-key',
  workspaceId: 'w',
  keyId,
  signer: keyId,
  maker: null,
  countedAs: keyId,
  name: 'n',
  role: 'member',
  scopes: [],
  exportStrategies: null,
  limits: { requestsPerSecond: null, jobsPerDay: null, ...limits },
});

describe('a token bucket', () => {
  it('never gives more than its capacity and what came back since', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 200 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        steps,
        (capacity, window, waits) => {
          const bucket = new TokenBucket(capacity, window, 0);
          let now = 0;
          let taken = 0;
          for (const wait of waits) {
            now += wait;
            if (bucket.has(now)) {
              bucket.take(now);
              taken += 1;
            } else {
              expect(bucket.left(now)).toBe(0);
              const seconds = bucket.secondsUntil(1, now);
              expect(seconds).toBeGreaterThan(0);
              expect(new TokenBucket(capacity, window, 0).secondsUntilFull(0)).toBe(0);
            }
            expect(taken).toBeLessThanOrEqual(capacity + (now / 1000) * (capacity / window) + 1e-6);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('fills evenly up to its capacity, and says how long that takes', () => {
    const bucket = new TokenBucket(4, 8, 1_000);
    const standing = (now: number) => [bucket.left(now), bucket.isFull(now), bucket.secondsUntilFull(now)];
    expect(standing(1_000)).toEqual([4, true, 0]);
    bucket.take(1_000, 3);
    expect([bucket.has(1_000, 1), bucket.has(1_000, 2)]).toEqual([true, false]);
    expect(standing(1_000)).toEqual([1, false, 6]);
    expect([bucket.secondsUntil(1, 1_000), bucket.secondsUntil(2, 1_000)]).toEqual([0, 2]);
    // A charge above the capacity waits until the bucket is full.
    expect(bucket.secondsUntil(9, 1_000)).toBe(6);
    expect([bucket.has(2_999, 2), bucket.has(3_000, 2)]).toEqual([false, true]);
    expect(standing(4_000)).toEqual([2, false, 3]);
    bucket.giveBack();
    expect(standing(4_000)).toEqual([3, false, 1]);
    bucket.giveBack(3);
    expect(standing(4_000)).toEqual([4, true, 0]);
    bucket.take(4_000);
    expect(standing(60_000)).toEqual([4, true, 0]);
  });

  it('does not go backwards with a clock that does', () => {
    const bucket = new TokenBucket(1, 1, 1_000);
    bucket.take(1_000);
    expect(bucket.has(0)).toBe(false);
    expect(bucket.has(2_000)).toBe(true);
  });
});

describe('the limits of keys', () => {
  it('keys have no limits unless they are set, and can be lifted for one key', () => {
    const off = new RateLimits({ requestsPerSecond: 0, jobsPerDay: 0 });
    expect(off.charge(caller('a'), true)).toBeNull();
    const on = new RateLimits({ requestsPerSecond: 1, jobsPerDay: 1 });
    expect(on.charge(caller('a', { requestsPerSecond: 0, jobsPerDay: 0 }), true)).toBeNull();
  });

  it('limits refuse with the time to wait, show the remaining budget, and count each key for itself', () => {
    let now = 0;
    const limits = new RateLimits({ requestsPerSecond: 2, jobsPerDay: 0 }).withClock(() => now);
    for (let left = 19; left >= 0; left -= 1) {
      const charge = limits.charge(caller('a'), false);
      expect([charge?.refusal, charge?.headers['ratelimit-remaining']]).toEqual([null, String(left)]);
    }
    const refused = limits.charge(caller('a'), false);
    expect(refused?.refusal).toMatchObject({ code: 'RATE_LIMITED', options: { retryAfterSeconds: 1 } });
    expect(refused?.headers).toEqual({
      'ratelimit-policy': '"requests";q=20;w=10',
      ratelimit: '"requests";r=0;t=10',
      'ratelimit-limit': '20',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '10',
    });
    expect(limits.charge(caller('b'), false)?.refusal).toBeNull();
    now = 500;
    expect(limits.charge(caller('a'), false)?.refusal).toBeNull();
    expect(limits.charge(caller('a'), false)?.refusal).not.toBeNull();
  });

  it('users of an access key are counted each for themselves', () => {
    const limits = new RateLimits({ requestsPerSecond: 1, jobsPerDay: 0 }).withClock(() => 0);
    const user = (countedAs: string): Caller => ({ ...caller('shared'), countedAs });
    for (let each = 0; each < 10; each += 1) limits.charge(user('ada'), false);
    expect(limits.charge(user('ada'), false)?.refusal).not.toBeNull();
    expect(limits.charge(user('eve'), false)?.refusal).toBeNull();
  });

  it('jobs are counted by the day, returned if they were not made, and not charged for a refusal', () => {
    let now = 0;
    const limits = new RateLimits({ requestsPerSecond: 100, jobsPerDay: 2 }).withClock(() => now);
    limits.charge(caller('a'), true);
    const second = limits.charge(caller('a'), true);
    expect(second?.headers['ratelimit-policy']).toBe('"requests";q=1000;w=10, "jobs";q=2;w=86400');
    expect(second?.headers['ratelimit-limit']).toBe('2');
    const third = limits.charge(caller('a'), true);
    expect(third?.refusal?.message).toBe('This key may send 2 jobs a day; try again in 43200 s.');
    expect(limits.charge(caller('a'), false)?.headers['ratelimit-remaining']).toBe('997');
    second?.refund();
    expect(limits.charge(caller('a'), true)?.refusal).toBeNull();
    now = 43_200_000;
    expect(limits.charge(caller('a'), true)?.refusal).toBeNull();
  });

  it('many jobs of one request are counted at once, all or none', () => {
    const limits = new RateLimits({ requestsPerSecond: 1, jobsPerDay: 10 }).withClock(() => 0);
    const first = limits.chargeJobs(caller('a'), 6);
    expect(first?.headers['ratelimit']).toBe('"requests";r=10;t=0, "jobs";r=4;t=51840');
    const short = limits.chargeJobs(caller('a'), 5);
    expect(short?.refusal?.message).toBe(
      'This key may send 10 jobs a day, 4 now, and these are 5; try again in 8640 s.',
    );
    expect(limits.chargeJobs(caller('a'), 11)?.refusal).toMatchObject({ options: { retryAfterSeconds: 51_840 } });
    expect(limits.chargeJobs(caller('a'), 4)?.refusal).toBeNull();
    first?.refund();
    expect(limits.chargeJobs(caller('a'), 6)?.refusal).toBeNull();
    expect(new RateLimits({ requestsPerSecond: 0, jobsPerDay: 0 }).chargeJobs(caller('a'), 6)).toBeNull();
  });

  it('limits begin anew when they are changed', () => {
    const limits = new RateLimits({ requestsPerSecond: 0, jobsPerDay: 1 });
    limits.charge(caller('a'), true);
    expect(limits.charge(caller('a'), true)?.refusal).not.toBeNull();
    expect(limits.charge(caller('a', { jobsPerDay: 5 }), true)?.refusal).toBeNull();
  });

  it('headers tell of the bucket that is nearest to its end, and of the one that is short', () => {
    const limits = new RateLimits({ requestsPerSecond: 1, jobsPerDay: 20 }).withClock(() => 0);
    const nearest = (charge: ReturnType<RateLimits['charge']>) => charge?.headers['ratelimit-limit'];
    // Two shares are equal here, and the one of requests is named.
    expect(nearest(limits.chargeJobs(caller('a'), 2))).toBe('20');
    expect(nearest(limits.charge(caller('a'), true))).toBe('20');
    for (let each = 0; each < 3; each += 1) limits.charge(caller('a'), false);
    expect(nearest(limits.charge(caller('a'), true))).toBe('10');
    expect(nearest(limits.chargeJobs(caller('a'), 17))).toBe('20');
    for (let each = 0; each < 5; each += 1) limits.charge(caller('a'), false);
    const refused = limits.charge(caller('a'), true);
    expect([nearest(refused), refused?.refusal?.message]).toEqual([
      '10',
      'This key may send 1 requests a second; try again in 1 s.',
    ]);
  });

  it('limits of jobs alone are shown alone', () => {
    const limits = new RateLimits({ requestsPerSecond: 0, jobsPerDay: 2 }).withClock(() => 0);
    expect(limits.charge(caller('a'), true)?.headers).toEqual({
      'ratelimit-policy': '"jobs";q=2;w=86400',
      ratelimit: '"jobs";r=1;t=43200',
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-reset': '43200',
    });
  });

  it('the oldest client is forgotten when there are too many, but those with full buckets first', () => {
    let now = 0;
    const limits = new RateLimits({ requestsPerSecond: 1, jobsPerDay: 0 }).withClock(() => now);
    const left = (id: string) => limits.charge(caller(id), false)?.headers['ratelimit-remaining'];
    const MAX_ENTRIES = 10_000;
    for (let each = 0; each < MAX_ENTRIES; each += 1) left(`k${each}`);
    expect([left('k0'), left('k1')]).toEqual(['8', '8']);
    // None is full: the first has to go, and no other.
    expect([left('new'), left('k1')]).toEqual(['9', '7']);
    now = 1_000;
    expect([left('another'), left('k1')]).toEqual(['9', '7']);
  });
});
