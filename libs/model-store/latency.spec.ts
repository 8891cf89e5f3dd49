import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addRun, latencyOf, noRunTimes, totalRuns } from './latency.js';

const timed = (seconds: number[]) => {
  const times = noRunTimes();
  for (const each of seconds) addRun(times, 1, each);
  return times;
};

it('the latency histogram gives quantiles within the width of a class, and the exact mean', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.001, max: 60, noNaN: true }), { minLength: 1, maxLength: 200 }),
      (given) => {
        const sorted = [...given].sort((a, b) => a - b);
        const latency = latencyOf(timed(given))!;
        expect(latency.rows).toBe(given.length);
        expect(latency.mean_seconds).toBeCloseTo(given.reduce((a, b) => a + b) / given.length, 2);
        const median = sorted[Math.ceil(given.length / 2) - 1]!;
        expect(latency.p50_seconds / median).toBeGreaterThan(0.7);
        expect(latency.p50_seconds / median).toBeLessThan(1.42);
        expect(latency.p95_seconds).toBeGreaterThanOrEqual(latency.p50_seconds);
      },
    ),
  );
});

it('the latency histogram divides a run among its rows, and adds up several processes', () => {
  const times = noRunTimes();
  addRun(times, 4, 0.4);
  expect(latencyOf(times)).toMatchObject({ rows: 4, mean_seconds: 0.1 });
  expect(latencyOf(totalRuns(times, timed([0.6])))).toMatchObject({ rows: 5, mean_seconds: 0.2 });
  expect(totalRuns(null, times)).toBe(times);
  expect(latencyOf(null)).toBeNull();
  expect(latencyOf(timed([1e6]))?.rows).toBe(1);
});
