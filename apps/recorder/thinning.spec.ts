import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Backlog, rateDivisor, thinned, type BacklogState } from './thinning.js';

const sampled = (rate: number, from: number, to: number) => {
  const times = Array.from({ length: Math.round((to - from) * rate) }, (_, i) => from + i / rate);
  return {
    frames: times.map((time) => ({ frame: 0, pts: 0, time, width: 1, height: 1 })),
    jpegs: times.map((time) => Buffer.from(String(time))),
  };
};

it('every n-th sample is kept, whatever the chunks are', () => {
  const whole = thinned(sampled(5, 0, 12), 5, 4);
  const parts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((at) => thinned(sampled(5, at, at + 1), 5, 4));
  expect(parts.flatMap(({ frames }) => frames.map(({ time }) => time.toFixed(3)))).toEqual(
    whole.frames.map(({ time }) => time.toFixed(3)),
  );
  expect(whole.frames.length).toBe(15);
  expect(whole.jpegs.map(String)).toEqual(whole.frames.map(({ time }) => String(time)));
});

it('samples stay within two seconds of each other, where the rate allows it', () => {
  fc.assert(
    fc.property(fc.constantFrom(0.5, 1, 2, 3, 5, 10), fc.constantFrom(1, 2, 4, 8), (rate, divisor) => {
      const times = thinned(sampled(rate, 0, 60), rate, divisor).frames.map(({ time }) => time);
      const longest = Math.max(...times.slice(1).map((time, i) => time - (times[i] ?? 0)));
      expect(longest).toBeLessThanOrEqual(Math.max(2, 1 / rate) + 1e-9);
    }),
  );
});

it('the rate falls while the analysis is behind, and rises when it has caught up', () => {
  const states: BacklogState[] = [
    'long',
    'some',
    'long',
    'full',
    'long',
    'long',
    'some',
    'none',
    'none',
    'none',
    'none',
  ];
  let divisor = 1;
  expect(states.map((state) => (divisor = rateDivisor(divisor, state)))).toEqual([2, 2, 4, 4, 8, 8, 8, 4, 2, 1, 1]);
});

it.each([
  [0, 'none'],
  [3, 'none'],
  [4, 'some'],
  [10, 'some'],
  [11, 'long'],
  [21, 'full'],
] as const)('%i chunks that wait, of 10 that may, are a backlog of %s', async (waiting, state) => {
  const backlog = new Backlog({ query: () => Promise.resolve([{ waiting }]) } as never, 'job', 10);
  expect(await backlog.state()).toBe(state);
});
