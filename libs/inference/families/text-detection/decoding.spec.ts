import { describe, expect, it } from '@jest/globals';
import { floatTensor } from '../../tensor.js';
import { likelihoodMap } from './decoding.js';

describe('a text probability map', () => {
  it('is the output itself, or the sigmoid of its logits', () => {
    const [height, width] = [1, 2];
    const map = (...values: number[]) => likelihoodMap(floatTensor(Float32Array.of(...values), [1, height, width]));
    expect(map(0.25, 1)).toEqual({ map: Float32Array.of(0.25, 1), width, height });
    expect(map(0, 9)).toEqual({ map: Float32Array.of(0.5, 1 / (1 + Math.exp(-9))), width, height });
  });

  it('is refused above the limit of pixels', () => {
    const output = floatTensor(new Float32Array(0), [1, 4097, 4096]);
    expect(() => likelihoodMap(output)).toThrow("The network's map has 4096 × 4097 pixels: 16777216 can be read.");
  });
});
