import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { cosine, normalise } from '../faces/embedding.js';
import { decodeDirection, encodeDirection } from './vector-code.js';

const values = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 32, maxLength: 400 });

describe('the stored form of a direction', () => {
  it('changes the direction by less than a degree, whatever the length', () => {
    fc.assert(
      fc.property(values, fc.constantFrom(0.001, 1, 1000), (vector, factor) => {
        fc.pre(Math.max(...vector.map(Math.abs)) > 0.01);
        const decoded = decodeDirection(encodeDirection(vector.map((value) => value * factor)));
        expect(cosine(decoded, decoded)).toBeCloseTo(1, 5);
        expect(cosine(decoded, normalise(vector))).toBeGreaterThan(Math.cos(Math.PI / 180));
      }),
    );
  });

  it('takes one byte per value, and keeps a zero vector', () => {
    expect(Buffer.from(encodeDirection(new Float32Array(1792).fill(0.5)), 'base64')).toHaveLength(1792);
    expect([...decodeDirection(encodeDirection([0, 0, 0]))]).toEqual([0, 0, 0]);
    expect(encodeDirection([1, -0.5, 0])).toBe('f8EA');
  });
});
