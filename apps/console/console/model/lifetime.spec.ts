import { expect, it } from '@jest/globals';
import { lifetimeOf } from './lifetime.js';

it.each([
  [3_600, 1, 'hours'],
  [86_400, 1, 'days'],
  [604_800, 7, 'days'],
  [31_536_000, 1, 'years'],
  [90_000, 25, 'hours'],
  [3_601, 2, 'hours'],
])('%d seconds are %d %s', (seconds, amount, unit) => {
  expect(lifetimeOf(seconds)).toEqual({ amount, unit });
});
