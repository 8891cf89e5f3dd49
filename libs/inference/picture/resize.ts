/* eslint-disable @typescript-eslint/no-non-null-assertion -- loops over pixels stay within the picture; a check in each would cost more than the arithmetic */
import { elementAt, type ResizeFilter } from '@adit/contracts';
import type { RgbImage } from '@adit/media';

// Looked up once: in separate realms (specs, vm contexts) every access to a global costs more than the arithmetic.
const { abs, floor, max, min, trunc } = Math;

/**
 * Filter taps along an axis: the first source pixel under each output pixel and the weights of `reach` of them; weight
 * 0 beyond the end.
 */
interface Taps {
  first: Int32Array;
  weights: Float32Array;
  reach: number;
}

/** Filter kernel by the distance from the centre in output pixels, and its support. */
interface Kernel {
  support: number;
  weight(distance: number): number;
}

const TRIANGLE: Kernel = { support: 1, weight: (distance) => max(0, 1 - abs(distance)) };
/** Keys 1981 with a = −0.5. */
const CUBIC: Kernel = {
  support: 2,
  weight(distance) {
    const x = abs(distance);
    if (x < 1) return (1.5 * x - 2.5) * x * x + 1;
    return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
  },
};

/** Part of a larger float picture, given by its offset and row stride in values. */
export interface Target {
  data: Float32Array;
  offset: number;
  stride: number;
}

/** Axis of the resized picture: its full length, and the wanted part. */
export interface Axis {
  length: number;
  start: number;
  count: number;
}

/**
 * Resizes a picture as training code does, to integers of 0..255: `bilinear` as OpenCV and PyTorch (four pixels,
 * however much it shrinks), `antialiased` and `bicubic` as Pillow (every pixel counts; rows first, as networks of today
 * were trained: Pillow 13 begins with the columns where height shrinks far more than width), `nearest` as Pillow.
 * Writes the wanted part to `to` as interleaved RGB.
 */
export function resize(image: RgbImage, across: Axis, down: Axis, filter: ResizeFilter, to: Target): void {
  const columns = tapsOf(image.width, across, filter);
  const rows = filter === 'bilinear' ? openTaps(image.height, down) : tapsOf(image.height, down, filter);
  if (filter === 'nearest' || filter === 'bilinear') sample(image, columns, rows, across.count, down.count, to);
  else convolve(image, columns, rows, across.count, down.count, to);
}

function tapsOf(from: number, axis: Axis, filter: ResizeFilter): Taps {
  const scale = from / axis.length;
  switch (filter) {
    case 'nearest':
      return taps(axis, 1, (i) => ({ start: min(from - 1, floor((i + 0.5) * scale)), weights: [1] }));
    case 'bilinear':
      return taps(axis, 2, (i) => {
        const place = Math.fround((i + 0.5) * scale - 0.5);
        const start = min(from - 1, max(0, floor(place)));
        const part = place < 0 || start === from - 1 ? 0 : Math.fround(place - start);
        return { start, weights: [1 - part, part] };
      });
    case 'antialiased':
      return kernelTaps(from, axis, TRIANGLE);
    case 'bicubic':
      return kernelTaps(from, axis, CUBIC);
  }
}

/**
 * OpenCV also weighs a row beyond the vertical borders, which it clamps to the last one: two parts of one row, each
 * rounded, do not add up to it.
 */
function openTaps(from: number, axis: Axis): Taps {
  const scale = from / axis.length;
  return taps(axis, 2, (i) => {
    const place = Math.fround((i + 0.5) * scale - 0.5);
    const start = floor(place);
    const part = Math.fround(place - start);
    return { start, weights: [1 - part, part] };
  });
}

/**
 * Builds taps as Pillow's Resample.c: the kernel grows with the scale where it shrinks, and is cut off at the borders.
 */
function kernelTaps(from: number, axis: Axis, { support, weight }: Kernel): Taps {
  const scale = from / axis.length;
  const grown = max(scale, 1);
  const reach = support * grown;
  return taps(axis, trunc(2 * reach) + 3, (i) => {
    const centre = (i + 0.5) * scale;
    const start = max(0, trunc(centre - reach + 0.5));
    const end = min(from, trunc(centre + reach + 0.5));
    const weights = Array.from({ length: end - start }, (_, at) => weight((start + at - centre + 0.5) / grown));
    const sum = weights.reduce((all, each) => all + each, 0);
    return { start, weights: weights.map((each) => fixedPoint(each / sum)) };
  });
}

/** Pillow's weights are multiples of 2⁻²², which float32 holds exactly, so that sums of weighted bytes are exact. */
const PILLOW_ONE = 2 ** 22;

function fixedPoint(weight: number): number {
  return trunc(weight * PILLOW_ONE + (weight < 0 ? -0.5 : 0.5)) / PILLOW_ONE;
}

function taps({ start, count }: Axis, reach: number, of: (i: number) => { start: number; weights: number[] }): Taps {
  const first = new Int32Array(count);
  const weights = new Float32Array(count * reach);
  for (let i = 0; i < count; i++) {
    const tap = of(start + i);
    first[i] = tap.start;
    weights.set(tap.weights, i * reach);
  }
  return { first, weights, reach };
}

/** OpenCV's resize.cpp (HResizeLinear, VResizeLinear): weights are multiples of 1/2048, and sums are rounded twice. */
const ONE = 2048;

/**
 * Samples one or two by two pixels, bit for bit as OpenCV: a network's scores move by 0.02 where every seventh value is
 * off by 1.
 */
function sample(
  { data, width: across, height: from }: RgbImage,
  x: Taps,
  y: Taps,
  width: number,
  height: number,
  to: Target,
): void {
  const stride = across * 3;
  const [left, right] = [wholeWeights(x, 0), wholeWeights(x, 1)];
  const [upper, lower] = [wholeWeights(y, 0), wholeWeights(y, 1)];
  for (let row = 0; row < height; row++) {
    const first = elementAt(y.first, row);
    const top = max(0, first) * stride;
    const above = elementAt(upper, row);
    const below = elementAt(lower, row);
    const down = min(from - 1, first + 1) * stride - top;
    let at = to.offset + row * to.stride;
    for (let column = 0; column < width; column++) {
      const a = left[column]!;
      const b = right[column]!;
      // A neighbour without weight may lie beyond the picture.
      const next = b === 0 ? 0 : 3;
      let p = top + x.first[column]! * 3;
      for (let colour = 0; colour < 3; colour++, p++, at++) {
        const one = (data[p]! * a + data[p + next]! * b) >> 4;
        const other = (data[p + down]! * a + data[p + down + next]! * b) >> 4;
        to.data[at] = (((one * above) >> 16) + ((other * below) >> 16) + 2) >> 2;
      }
    }
  }
}

function wholeWeights({ first, weights, reach }: Taps, tap: number): Int32Array {
  return Int32Array.from(first, (_, i) => (tap < reach ? halfEven(weights[i * reach + tap]! * ONE) : 0));
}

/** Rounds as C and Python do: halves to the even neighbour. */
export function halfEven(value: number): number {
  const low = floor(value);
  return value - low === 0.5 ? low + (low & 1) : floor(value + 0.5);
}

/** Convolves rows, then columns, rounding after each. */
function convolve(
  { data, width: across }: RgbImage,
  x: Taps,
  y: Taps,
  width: number,
  height: number,
  to: Target,
): void {
  const from = elementAt(y.first, 0);
  const until = min(data.length / (across * 3), elementAt(y.first, height - 1) + y.reach);
  const line = width * 3;
  const narrow = new Uint8ClampedArray((until - from) * line);
  for (let row = from; row < until; row++) {
    let at = (row - from) * line;
    for (let column = 0; column < width; column++, at += 3) {
      let red = 0;
      let green = 0;
      let blue = 0;
      let p = (row * across + x.first[column]!) * 3;
      for (let tap = 0, w = column * x.reach; tap < x.reach; tap++, w++, p += 3) {
        const weight = x.weights[w]!;
        if (weight === 0) continue;
        red += data[p]! * weight;
        green += data[p + 1]! * weight;
        blue += data[p + 2]! * weight;
      }
      narrow[at] = floor(red + 0.5);
      narrow[at + 1] = floor(green + 0.5);
      narrow[at + 2] = floor(blue + 0.5);
    }
  }
  const sums = new Float64Array(line);
  for (let row = 0; row < height; row++) {
    sums.fill(0);
    for (let tap = 0; tap < y.reach; tap++) {
      const weight = y.weights[row * y.reach + tap]!;
      if (weight === 0) continue;
      const p = (y.first[row]! - from + tap) * line;
      for (let i = 0; i < line; i++) sums[i]! += narrow[p + i]! * weight;
    }
    const at = to.offset + row * to.stride;
    for (let i = 0; i < line; i++) to.data[at + i] = min(255, max(0, floor(sums[i]! + 0.5)));
  }
}
