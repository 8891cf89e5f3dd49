import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyRules, followingOf, likeliest, type Rules } from './rules.js';

/** 40 text tokens, the end, three that are neither text nor time, and 100 times. */
const tokens: Rules = { end: 40, noTimes: 43, times: 44, size: 144, never: [3, 17, 41] };
const TEXT = [5, 6];
const time = (ticks: number): number => tokens.times + ticks;

const anyLogits = fc
  .array(fc.float({ min: -8, max: 8, noNaN: true }), { minLength: tokens.size, maxLength: tokens.size })
  .map((values) => Float32Array.from(values));
/** Texts that the rules permit. */
const anyWritten = fc.constantFrom(
  [],
  [time(0)],
  [time(0), ...TEXT],
  [time(0), ...TEXT, time(30)],
  [time(0), ...TEXT, time(30), time(30)],
  [time(0), ...TEXT, time(30), time(31), ...TEXT],
);

describe('the tokens that may follow', () => {
  it('are the same by the likeliest text tokens as by all logits', () => {
    fc.assert(
      fc.property(anyLogits, anyWritten, (logits, written) => {
        const found = likeliest(followingOf(logits, 6, tokens), written, 6, tokens);
        const ruled = logits.slice();
        applyRules(ruled, written, tokens);
        const all = [...ruled.entries()].filter(([, logit]) => logit > -Infinity).sort(([, a], [, b]) => b - a);
        const normal = Math.log(all.reduce((sum, [, logit]) => sum + Math.exp(logit), 0));
        expect(found.map(({ logProbability }) => logProbability)).toEqual(
          all.slice(0, 6).map(([, logit]) => expect.closeTo(logit - normal, 4)),
        );
        for (const { token, logProbability } of found) expect(ruled[token]! - normal).toBeCloseTo(logProbability, 4);
      }),
    );
  });

  const after = (written: number[], loud: number[]): number[] => {
    const logits = new Float32Array(tokens.size);
    for (const token of loud) logits[token] = 20;
    return likeliest(followingOf(logits, 6, tokens), written, 6, tokens).map(({ token }) => token);
  };

  it('begin with a time within the first second', () => {
    expect(after([], [5, tokens.end, time(60), time(7)])[0]).toBe(time(7));
    expect(after([], [time(60)])).not.toContain(time(60));
  });

  it('continue with text after the time that opens a segment', () => {
    expect(after([time(4)], [time(9), 3, 7])[0]).toBe(7);
    expect(Math.max(...after([time(4)], [time(9)]))).toBeLessThan(tokens.times);
  });

  it('close a segment no earlier than it opened, and open one no earlier than the last closed', () => {
    expect(after([time(4), ...TEXT], [time(2), time(4), time(9)])).toEqual(
      expect.not.arrayContaining([time(2), time(4)]),
    );
    expect(after([time(4), ...TEXT, time(9)], [7, time(8), time(9)])[0]).toBe(time(9));
    expect(after([time(4), ...TEXT, time(9)], [7, tokens.end])[0]).toBe(tokens.end);
  });

  it('are times where all of them together are likelier than any text', () => {
    const logits = new Float32Array(tokens.size).fill(-20);
    logits[7] = 2;
    logits.fill(0, tokens.times);
    const [best] = likeliest(followingOf(logits, 6, tokens), [time(4), ...TEXT], 6, tokens);
    expect(best!.token).toBeGreaterThanOrEqual(tokens.times);
  });
});
