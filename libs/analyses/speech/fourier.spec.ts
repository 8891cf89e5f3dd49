import { describe, expect, it } from '@jest/globals';
import { complex, SIZE, transform } from './fourier.js';
import { randomFrom } from './rules.js';

describe('the Fourier transform of a frame', () => {
  it('equals the sum that defines it, for any numbers', () => {
    const random = randomFrom(1);
    const input = complex();
    for (const part of [input.re, input.im]) for (let i = 0; i < SIZE; i++) part[i] = random() - 0.5;
    const [re, im] = [[...input.re], [...input.im]];
    const found = transform(input, complex());
    for (let bin = 0; bin < SIZE; bin++) {
      let [sumRe, sumIm] = [0, 0];
      for (let i = 0; i < SIZE; i++) {
        const [cos, sin] = [Math.cos((2 * Math.PI * i * bin) / SIZE), -Math.sin((2 * Math.PI * i * bin) / SIZE)];
        sumRe += re[i]! * cos - im[i]! * sin;
        sumIm += re[i]! * sin + im[i]! * cos;
      }
      expect(found.re[bin]).toBeCloseTo(sumRe, 10);
      expect(found.im[bin]).toBeCloseTo(sumIm, 10);
    }
  });
});
