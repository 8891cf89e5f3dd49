import { describe, expect, it } from '@jest/globals';
import { dropOldest, elementAt, float32At, float64At, zip } from './lists.js';

describe('elementAt', () => {
  it('gives what is there, from either end, and refuses what is not', () => {
    expect(elementAt(['a', 'b'], 1)).toBe('b');
    expect(elementAt(Float32Array.of(1, 2, 0), -1)).toBe(0);
    expect(elementAt([null], 0)).toBeNull();
    for (const place of [2, -3, 0.5, NaN]) expect(() => elementAt(['a', 'b'], place)).toThrow(RangeError);
    expect(() => elementAt([], -1)).toThrow('Place -1 of a list of 0.');
  });
});

describe('float32At and float64At', () => {
  it('an element is returned if it is there, and else refused', () => {
    expect([float32At(Float32Array.of(1, NaN), 1), float64At(Float64Array.of(0.1, 2), 0)]).toEqual([NaN, 0.1]);
    for (const place of [2, -1, 0.5, NaN]) {
      expect(() => float32At(new Float32Array(2), place)).toThrow(RangeError);
      expect(() => float64At(new Float64Array(2), place)).toThrow(`Place ${place} of a list of 2.`);
    }
  });
});

describe('zip', () => {
  it('pairs lists of one length and refuses others', () => {
    expect([...zip([1, 2], new Set(['a', 'b']))]).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
    expect([...zip([], [])]).toEqual([]);
    expect(() => [...zip([1, 2], ['a'])]).toThrow('shorter');
    expect(() => [...zip([1], ['a', undefined])]).toThrow('longer');
  });
});

describe('dropOldest', () => {
  it('keeps those that were put in last', () => {
    const numbers = new Set([1, 2, 3, 4]);
    dropOldest(numbers, 2);
    expect([...numbers]).toEqual([3, 4]);
    const names = new Map([['a', 1]]);
    dropOldest(names, 1);
    expect(names.size).toBe(1);
    dropOldest(names, 0);
    expect(names.size).toBe(0);
  });
});
