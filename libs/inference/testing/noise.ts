import type { RgbImage } from '../run/analysis.js';

/** Test helper: a picture of noise, the same for the same seed. */
export function noise(width: number, height: number, seed = 1): RgbImage {
  const data = new Uint8Array(width * height * 3);
  let state = seed;
  for (let i = 0; i < data.length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    data[i] = state >>> 24;
  }
  return { data, width, height };
}
