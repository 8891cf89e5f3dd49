import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cosine, decodeEmbedding, distance, encodeEmbedding, normalise } from './embedding.js';

const vectors = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true, min: -1000, max: 1000 }), {
  minLength: 1,
  maxLength: 64,
});

describe('embedding', () => {
  it('survives base64 bit for bit', () => {
    fc.assert(
      fc.property(vectors, (values) => {
        const vector = Float32Array.from(values);
        expect(decodeEmbedding(encodeEmbedding(vector))).toEqual(vector);
      }),
    );
  });

  it('is little-endian float32', () => {
    expect(Buffer.from(encodeEmbedding(Float32Array.of(1)), 'base64')).toEqual(Buffer.from([0, 0, 0x80, 0x3f]));
  });

  it('refuses broken bytes', () => {
    expect(() => decodeEmbedding('AAAA')).toThrow(RangeError);
  });

  it('has length 1 after normalisation, and distance follows from cosine', () => {
    const a = normalise([3, 4]);
    const b = normalise([4, -3]);
    expect(Math.hypot(...a)).toBeCloseTo(1, 6);
    expect(cosine(a, b)).toBeCloseTo(0, 6);
    expect(distance(a, b)).toBeCloseTo(Math.SQRT2, 6);
    expect(distance(a, a)).toBeCloseTo(0, 3);
  });
});
