import { expect, it } from '@jest/globals';
import { RunTimes } from './run-times.js';

it('a time of the run is where the pictures around it were placed', () => {
  const times = new RunTimes();
  expect(times.at(0)).toBeNull();
  // 100 ppm, and then a jump of an hour that took no time.
  const hour = 3600e6;
  for (let us = 0; us < 100e6; us += 40_000) times.see(us, 5e6 + us + us / 10_000);
  for (let us = 100e6; us < 110e6; us += 40_000) times.see(us + hour, 5e6 + us + us / 10_000);
  expect(times.at(0)).toBe(5e6);
  expect(Math.abs((times.at(50e6) ?? 0) - 55.005e6)).toBeLessThan(1500);
  expect(Math.abs((times.at(hour + 105e6) ?? 0) - 110.0105e6)).toBeLessThan(1500);
  // What comes behind the last picture goes on from it.
  expect(Math.abs((times.at(hour + 111e6) ?? 0) - 116.011e6)).toBeLessThan(2000);
  times.forget(99e6);
  expect(Math.abs((times.at(99.5e6) ?? 0) - 104.50995e6)).toBeLessThan(1500);
});

it('a time is waited for until it was reached, or the run has ended', async () => {
  const times = new RunTimes();
  const reached: number[] = [];
  const waiting = (async () => {
    for (const us of [10, 20]) {
      await times.reached(us);
      reached.push(us);
    }
  })();
  times.see(9, 9);
  await new Promise(setImmediate);
  expect(reached).toEqual([]);
  times.see(10, 10);
  await new Promise(setImmediate);
  expect(reached).toEqual([10]);
  times.end();
  await waiting;
  expect(reached).toEqual([10, 20]);
});
