import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeWeights, float16ToNumber, type WeightSpec } from './weights.js';

function spec(dtype: WeightSpec['dtype'], length: number, quantization?: WeightSpec['quantization']): WeightSpec {
  return { name: 'tensor', shape: [length], dtype, quantization };
}

function decoded(weights: WeightSpec, bytes: Uint8Array): number[] {
  return Array.from(decodeWeights([weights], bytes).get('tensor')?.data ?? [], Number);
}

/** Rounds to half precision by the definition of the format: 10 bits of fraction, steps of 2^-24 near zero. */
function toFloat16Bits(value: number): number {
  const sign = value < 0 ? 0x8000 : 0;
  const size = Math.abs(value);
  const exponent = Math.max(Math.floor(Math.log2(size)), -14);
  const steps = Math.round(size / 2 ** (exponent - 10));
  return sign | (size < 2 ** -14 ? steps : ((exponent + 15) << 10) + steps - 1024);
}

describe('float16ToNumber', () => {
  it.each([
    [0x0000, 0],
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x7c00, Infinity],
    [0xfc00, -Infinity],
    [0x7e00, NaN],
  ])('reads %i as %d', (bits, value) => {
    expect(float16ToNumber(bits)).toBe(value);
  });

  it('is within half a step of any number that was rounded to half precision', () => {
    fc.assert(
      fc.property(fc.double({ min: -60000, max: 60000, noNaN: true }), (value) => {
        fc.pre(Math.abs(value) >= 2 ** -24);
        const step = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(value))), -14) - 10);
        expect(Math.abs(float16ToNumber(toFloat16Bits(value)) - value)).toBeLessThanOrEqual(step / 2);
      }),
    );
  });
});

describe('decodeWeights', () => {
  it.each(['uint8', 'uint16'] as const)('keeps %s values within half a quantisation step', (dtype) => {
    const levels = dtype === 'uint8' ? 255 : 65535;
    fc.assert(
      fc.property(fc.array(fc.float({ min: -100, max: 100, noNaN: true }), { minLength: 2 }), (values) => {
        const min = Math.min(...values);
        const scale = (Math.max(...values) - min) / levels || 1;
        const stored = values.map((value) => Math.round((value - min) / scale));
        const bytes = new Uint8Array((dtype === 'uint8' ? Uint8Array : Uint16Array).from(stored).buffer);
        const restored = decoded(spec('float32', values.length, { dtype, scale, min }), bytes);
        restored.forEach((value, i) => {
          // Half a step, and the rounding of the result to float32.
          expect(Math.abs(value - (values[i] ?? NaN))).toBeLessThanOrEqual(scale / 2 + 1e-5);
        });
      }),
    );
  });

  it('returns plain float32 and int32 unchanged, in the order of the manifest', () => {
    fc.assert(
      fc.property(fc.array(fc.float({ noNaN: true })), fc.array(fc.integer()), (floats, integers) => {
        const bytes = Buffer.concat([
          Buffer.from(Float32Array.from(floats).buffer),
          Buffer.from(Int32Array.from(integers).buffer),
        ]);
        const tensors = decodeWeights(
          [
            { ...spec('float32', floats.length), name: 'floats' },
            { ...spec('int32', integers.length), name: 'integers' },
          ],
          bytes,
        );
        expect(Array.from(tensors.get('floats')?.data ?? [])).toEqual(floats);
        expect(Array.from(tensors.get('integers')?.data ?? [])).toEqual(integers);
      }),
    );
  });

  it('rounds quantised integers', () => {
    const weights = spec('int32', 3, { dtype: 'uint8', scale: 0.4, min: -1 });
    expect(decoded(weights, Uint8Array.of(0, 1, 255))).toEqual([-1, -1, 101]);
  });

  it('refuses truncated and overlong shards', () => {
    const weights = spec('float32', 3);
    expect(() => decodeWeights([weights], new Uint8Array(11))).toThrow(/truncated.*"tensor".*byte 12 of 11/);
    expect(() => decodeWeights([weights], new Uint8Array(13))).toThrow(/13 bytes.*accounts for 12/);
  });
});
