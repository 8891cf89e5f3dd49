import { describe, expect, it } from '@jest/globals';
import { randomOf } from '@adit/testing';
import { areAlike, cutsBetween } from './shots.js';

/**
 * Cells of a frame: a picture of its own for each seed, lighter or darker by a factor and a shift, with a little noise.
 */
function frame(seed: number, { factor = 1, shift = 0, noise = 1 } = {}): Float32Array {
  const [picture, grain] = [randomOf(seed * 31 + 7), randomOf(seed + noise * 1000)];
  return Float32Array.from({ length: 192 }, () => {
    const value = 60 + 120 * picture();
    return Math.min(255, Math.max(0, value * factor + shift + noise * grain()));
  });
}
const cuts = (frames: Float32Array[]): number[] => cutsBetween(frames).flatMap((cut, at) => (cut ? [at] : []));

describe('cutsBetween', () => {
  it('finds hard cuts, also between similar pictures of a still film', () => {
    const near = frame(1).map((value, cell) => (cell % 12 < 5 ? 255 - value : value));
    expect(cuts([frame(1), frame(1), frame(2), frame(2), frame(3)])).toEqual([2, 4]);
    expect(cuts([frame(1), frame(1, { noise: 2 }), near, near, frame(1)])).toEqual([2, 4]);
  });

  it('takes no flash, no fade to black and back, and no switched lamp for a cut', () => {
    const flash = frame(1, { factor: 0.01, shift: 252 });
    const dark = frame(1, { factor: 0.02 });
    expect(cuts([frame(1), flash, frame(1)])).toEqual([]);
    expect(cuts([frame(1), frame(1, { factor: 0.4 }), dark, dark, frame(1, { factor: 0.5 }), frame(1)])).toEqual([]);
    expect(cuts([frame(1), frame(1, { factor: 1.3, shift: 20 }), frame(1, { factor: 1.3, shift: 20 })])).toEqual([]);
  });

  it('finds the cut behind a fade through black', () => {
    const dark = frame(1, { factor: 0.02 });
    expect(cuts([frame(1), frame(1, { factor: 0.5 }), dark, dark, frame(2), frame(2)])).toEqual([4]);
  });

  it('takes a constantly moving film for no sequence of cuts', () => {
    const between = (from: number, share: number) =>
      frame(from, { noise: 0 }).map(
        (value, i) => value * (1 - share) + (frame(from + 1, { noise: 0 })[i] ?? 0) * share,
      );
    const pan = Array.from({ length: 20 }, (_, i) => between(10 + Math.floor(i / 3), (i % 3) / 3));
    expect(cuts(pan)).toEqual([]);
  });

  it('returns a value per frame, also for no frames and for black ones', () => {
    expect(cutsBetween([])).toEqual([]);
    expect(cutsBetween([frame(1)])).toEqual([false]);
    expect(cutsBetween([new Float32Array(192), new Float32Array(192)])).toEqual([false, false]);
  });
});

describe('areAlike', () => {
  it('knows a place again in other light, and no other place', () => {
    expect(areAlike(frame(1), frame(1, { factor: 0.6, shift: 20, noise: 2 }))).toBe(true);
    expect(areAlike(frame(1), frame(2))).toBe(false);
  });

  it('takes a blank frame for no place', () => {
    expect(areAlike(new Float32Array(192), new Float32Array(192))).toBe(false);
    expect(areAlike(frame(1), frame(1, { factor: 0.01 }))).toBe(false);
  });
});
