import { expect, it } from '@jest/globals';
import { clockTime } from './clock-time.js';

it.each([
  [0, '.', '00:00:00.000'],
  [1_001, ',', '00:00:01,001'],
  [3_661_500, '.', '01:01:01.500'],
  [86_399_999, '.', '23:59:59.999'],
  [360_000_000, '.', '100:00:00.000'],
] as const)('%d ms are told with %s as %s', (milliseconds, mark, told) => {
  expect(clockTime(milliseconds, mark)).toBe(told);
});
