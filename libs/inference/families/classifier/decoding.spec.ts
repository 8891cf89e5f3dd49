import { describe, expect, it } from '@jest/globals';
import { scoresOf, sharesOf } from './decoding.js';

describe('classifier values', () => {
  it('are decoded as the network defines them', () => {
    expect([...scoresOf(Float32Array.of(0, 100, -100), 'sigmoid')]).toEqual([0.5, 1, expect.closeTo(0)]);
    expect([...scoresOf(Float32Array.of(-0.1, 0.5, 1.5), 'scores')]).toEqual([0, 0.5, 1]);
    expect([...scoresOf(Float32Array.of(0.25, 0.75), 'softmax')]).toEqual([0.25, 0.75]);
  });

  it('that add up to 1 are shares; all others are logits', () => {
    expect([...sharesOf(Float32Array.of(0.25, 0.75))]).toEqual([0.25, 0.75]);
    const shares = sharesOf(Float32Array.of(1000, 1000 + Math.log(3)));
    expect(shares[0]).toBeCloseTo(0.25, 3);
    expect(shares[1]).toBeCloseTo(0.75, 3);
    expect(sharesOf(Float32Array.of(-1, 2))[0]).toBeCloseTo(0.047, 3);
  });
});
