import { describe, expect, it } from '@jest/globals';
import { floatTensor } from '../../tensor.js';
import { alphabetOf, blankOf, likelihoodsOf } from './decoding.js';

describe('the characters of a text recogniser', () => {
  it('are those of its outputs, with the blank and the space that lists omit', () => {
    expect(alphabetOf(['a', 'b'], 'ctc', 4)).toEqual(['', 'a', 'b', ' ']);
    expect(alphabetOf(['a', 'b'], 'ctc', 3)).toEqual(['', 'a', 'b']);
    expect(alphabetOf(['a', 'b'], 'ctc-last', 3)).toEqual(['a', 'b', '']);
    expect(alphabetOf(['a', 'b'], 'ctc-last', 4)).toEqual(['a', 'b', ' ', '']);
  });

  it('may name the blank, which reads as empty text', () => {
    expect(alphabetOf(['[blank]', 'a'], 'ctc', 2)).toEqual(['', 'a']);
    expect(alphabetOf(['a', '<blank>'], 'ctc-last', 2)).toEqual(['a', '']);
    expect([blankOf(['', 'a'], 'ctc'), blankOf(['a', ''], 'ctc-last')]).toEqual([0, 1]);
  });

  it('are kept when they do not match its outputs', () => {
    expect(alphabetOf(['a', 'b'], 'ctc', 9)).toEqual(['a', 'b']);
  });
});

describe('the steps of a text recogniser', () => {
  const shares = [0.7, 0.2, 0.1, 0.1, 0.1, 0.8];
  it('are kept when they are shares', () => {
    const steps = floatTensor(Float32Array.from(shares), [2, 3]);
    expect(likelihoodsOf(steps)).toBe(steps);
  });

  it('become shares when they are logits or logarithms', () => {
    for (const shift of [0, 3]) {
      const steps = floatTensor(
        Float32Array.from(shares, (share) => Math.log(share) + shift),
        [2, 3],
      );
      Array.from(likelihoodsOf(steps).data, (value, index) => expect(value).toBeCloseTo(shares[index]!, 5));
    }
  });
});
