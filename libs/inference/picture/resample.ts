/* eslint-disable @typescript-eslint/no-non-null-assertion -- loops over pixels stay within the picture; a check in each would cost more than the arithmetic */
import { elementAt, float32At } from '@adit/contracts';
import type { RgbImage } from '@adit/media';
import { affineScale, type Affine } from './affine.js';

// Looked up once: in separate realms (specs, vm contexts) every access to a global costs more than the arithmetic.
const { abs, ceil, floor, fround, max, min, round } = Math;

/** Floats of interleaved RGB, 0..255. Valid until the next resampling; callers copy what they keep. */
type Scratch = Float32Array;

let output: Scratch = new Float32Array(0);

function outputOf(length: number, into?: Float32Array): Scratch {
  if (into) return into;
  if (output.length < length) output = new Float32Array(length);
  return output;
}

/**
 * Resamples the picture through `map` into `width` × `height` pixels, as networks need it: bilinear, and where it
 * shrinks the mean of n × n samples per output pixel; black outside the picture. Writes to `into`, or to a buffer that
 * the next call reuses.
 */
export function resample(
  image: RgbImage,
  map: Affine,
  width: number,
  height: number,
  into?: Float32Array,
): Float32Array {
  const upright = map[1] === 0 && map[3] === 0 && map[0] > 0 && map[4] > 0;
  const out = outputOf(width * height * 3, into);
  if (!upright) return bilinear(image, map, width, height, out, samplesOf(map));
  const scale = max(map[0], map[4]);
  if (scale >= 1.5) return pointBlocks(image, map, width, height, min(4, max(2, ceil(scale / 2))), out);
  if (map[0] === 1 && map[4] === 1 && Number.isInteger(map[2]) && Number.isInteger(map[5])) {
    return copyRegion(image, map[2], map[5], width, height, out);
  }
  return uprightBilinear(image, map, width, height, out);
}

function copyRegion(image: RgbImage, left: number, top: number, width: number, height: number, out: Scratch): Scratch {
  const inside = left >= 0 && top >= 0 && left + width <= image.width && top + height <= image.height;
  if (!inside) out.fill(0, 0, width * height * 3);
  const x0 = max(0, left);
  const x1 = min(image.width, left + width);
  if (x1 <= x0) return out;
  for (let y = max(0, top); y < min(image.height, top + height); y++) {
    const from = (y * image.width + x0) * 3;
    out.set(image.data.subarray(from, from + (x1 - x0) * 3), ((y - top) * width + x0 - left) * 3);
  }
  return out;
}

/** Averages n × n pixels spread evenly over each output pixel, to shrink without reading every pixel. */
function pointBlocks(image: RgbImage, map: Affine, width: number, height: number, n: number, out: Scratch): Scratch {
  const columns = samplePlaces(map[2], map[0], width, n, image.width, 3);
  const rows = samplePlaces(map[5], map[4], height, n, image.height, image.width * 3);
  out.fill(0, 0, width * height * 3);
  for (let line = 0; line < rows.length; line++) {
    const row = rows[line]!;
    const next = n === 2 && line % 2 === 0 ? rows[line + 1]! : -1;
    const at = floor(line / n) * width * 3;
    if (row >= 0 && next >= 0) {
      fours(image.data, columns, row, next, out, at);
      line++;
    } else if (row >= 0) addBlocks(image.data, columns, row, n, out, at);
  }
  return out;
}

/** Adds one line of each of a row's blocks. */
function addBlocks(data: Uint8Array, columns: Int32Array, line: number, n: number, out: Scratch, to: number): void {
  const part = 1 / (n * n);
  for (let at = to, column = 0; column < columns.length; at += 3) {
    let r = 0;
    let g = 0;
    let b = 0;
    for (let sample = 0; sample < n; sample++, column++) {
      const place = columns[column]!;
      if (place < 0) continue;
      const p = line + place;
      r += data[p]!;
      g += data[p + 1]!;
      b += data[p + 2]!;
    }
    out[at]! += r * part;
    out[at + 1]! += g * part;
    out[at + 2]! += b * part;
  }
}

/** Adds both lines of 2 × 2 blocks at once: the same exact sums in half the time. */
function fours(data: Uint8Array, columns: Int32Array, top: number, bottom: number, out: Scratch, to: number): void {
  for (let at = to, column = 0; column < columns.length; at += 3, column += 2) {
    const left = columns[column]!;
    const right = columns[column + 1]!;
    if (left >= 0 && right >= 0) {
      const p = top + left;
      const q = top + right;
      const r = bottom + left;
      const s = bottom + right;
      out[at] = meanOf(data, p, q, r, s);
      out[at + 1] = meanOf(data, p + 1, q + 1, r + 1, s + 1);
      out[at + 2] = meanOf(data, p + 2, q + 2, r + 2, s + 2);
    } else if (left >= 0 || right >= 0) {
      // Half of the block lies outside, which is black.
      const p = top + max(left, right);
      const r = bottom + max(left, right);
      for (let colour = 0; colour < 3; colour++) {
        out[at + colour] = meanOf(data, p + colour, p + colour, r + colour, r + colour) / 2;
      }
    }
  }
}

function meanOf(data: Uint8Array, p: number, q: number, r: number, s: number): number {
  return (data[p]! + data[q]! + data[r]! + data[s]!) / 4;
}

/**
 * Returns the offset of the pixel under each of n samples per output pixel along an axis, `stride` apart; −1 outside
 * the picture.
 */
function samplePlaces(
  start: number,
  step: number,
  count: number,
  n: number,
  limit: number,
  stride: number,
): Int32Array {
  const places = new Int32Array(count * n);
  for (let i = 0; i < places.length; i++) {
    const place = floor(start + ((i + 0.5) / n) * step);
    places[i] = place >= 0 && place < limit ? place * stride : -1;
  }
  return places;
}

/** Bilinear sampling without rotation, which computes each axis once. */
function uprightBilinear(image: RgbImage, map: Affine, width: number, height: number, out: Scratch): Scratch {
  const { data } = image;
  const columns = lerpPlaces(map[2], map[0], width, image.width, 3);
  const rows = lerpPlaces(map[5], map[4], height, image.height, image.width * 3);
  let at = 0;
  for (let y = 0; y < height; y++) {
    const top = elementAt(rows.first, y);
    const bottom = elementAt(rows.second, y);
    const topWeight = float32At(rows.firstWeight, y);
    const bottomWeight = float32At(rows.secondWeight, y);
    for (let x = 0; x < width; x++, at += 3) {
      const left = columns.first[x]!;
      const right = columns.second[x]!;
      const a = columns.firstWeight[x]!;
      const b = columns.secondWeight[x]!;
      const p = top + left;
      const q = top + right;
      const r = bottom + left;
      const s = bottom + right;
      out[at] = between(data, p, q, r, s, a, b, topWeight, bottomWeight);
      out[at + 1] = between(data, p + 1, q + 1, r + 1, s + 1, a, b, topWeight, bottomWeight);
      out[at + 2] = between(data, p + 2, q + 2, r + 2, s + 2, a, b, topWeight, bottomWeight);
    }
  }
  return out;
}

/**
 * Returns the offsets of the two neighbours of each output pixel along an axis, and their weights; weight 0 outside.
 */
function lerpPlaces(
  start: number,
  step: number,
  count: number,
  limit: number,
  stride: number,
): {
  first: Int32Array;
  second: Int32Array;
  firstWeight: Float32Array;
  secondWeight: Float32Array;
} {
  const first = new Int32Array(count);
  const second = new Int32Array(count);
  const firstWeight = new Float32Array(count);
  const secondWeight = new Float32Array(count);
  for (let i = 0; i < count; i++) {
    const place = start + (i + 0.5) * step - 0.5;
    const low = floor(place);
    const fraction = place - low;
    if (low >= 0 && low < limit) {
      first[i] = low * stride;
      firstWeight[i] = 1 - fraction;
    }
    if (low + 1 >= 0 && low + 1 < limit) {
      second[i] = (low + 1) * stride;
      secondWeight[i] = fraction;
    }
  }
  return { first, second, firstWeight, secondWeight };
}

/** Interpolates between four pixels only, however much it shrinks, as OpenCV's warpAffine with INTER_LINEAR. */
export function resampleBetweenPixels(image: RgbImage, map: Affine, width: number, height: number): Float32Array {
  return bilinear(image, map, width, height, outputOf(width * height * 3), 1);
}

/** Returns the samples per axis that represent the area of an output pixel. */
function samplesOf(map: Affine): number {
  return min(4, max(1, round(affineScale(map))));
}

/** Places along a line of samples, reused between calls. */
let across = new Float64Array(0);
let down = new Float64Array(0);
/** Accumulator for a pixel at the border. */
const borderPixel: Scratch = new Float32Array(3);

/** Samples any affine map with n × n samples per output pixel, added up sequentially in float32. */
function bilinear(image: RgbImage, map: Affine, width: number, height: number, out: Scratch, n: number): Scratch {
  const [a, b, c, d, e, f] = map;
  const { data } = image;
  const part = 1 / (n * n);
  const maxX = image.width - 1;
  const maxY = image.height - 1;
  const stride = image.width * 3;
  if (across.length < width * n) [across, down] = [new Float64Array(width * n), new Float64Array(width * n)];
  for (let column = 0; column < width * n; column++) {
    across[column] = a * ((column + 0.5) / n);
    down[column] = d * ((column + 0.5) / n);
  }
  out.fill(0, 0, width * height * 3);
  for (let line = 0; line < height * n; line++) {
    const v = (line + 0.5) / n;
    const startX = b * v + c - 0.5;
    const startY = e * v + f - 0.5;
    const row = floor(line / n) * width * 3;
    for (let at = row, column = 0; at < row + width * 3; at += 3) {
      let red = out[at]!;
      let green = out[at + 1]!;
      let blue = out[at + 2]!;
      for (let sample = 0; sample < n; sample++, column++) {
        const px = across[column]! + startX;
        const py = down[column]! + startY;
        if (px >= 0 && py >= 0 && px < maxX && py < maxY) {
          const x0 = px | 0;
          const y0 = py | 0;
          const fx = px - x0;
          const fy = (py - y0) * part;
          const left = 1 - fx;
          const top = part - fy;
          const p = y0 * stride + x0 * 3;
          const q = p + stride;
          red = fround(red + between(data, p, p + 3, q, q + 3, left, fx, top, fy));
          green = fround(green + between(data, p + 1, p + 4, q + 1, q + 4, left, fx, top, fy));
          blue = fround(blue + between(data, p + 2, p + 5, q + 2, q + 5, left, fx, top, fy));
        } else if (px > -1 && py > -1 && px < image.width && py < image.height) {
          borderPixel.set([red, green, blue]);
          addBorderSample(image, px, py, part, borderPixel, 0);
          [red, green, blue] = [borderPixel[0]!, borderPixel[1]!, borderPixel[2]!];
        }
      }
      out[at] = red;
      out[at + 1] = green;
      out[at + 2] = blue;
    }
  }
  return out;
}

/** Interpolates between two pixels of a line and the two below, by the position across and down. */
function between(
  data: Uint8Array,
  p: number,
  q: number,
  r: number,
  s: number,
  left: number,
  right: number,
  top: number,
  bottom: number,
): number {
  return (data[p]! * left + data[q]! * right) * top + (data[r]! * left + data[s]! * right) * bottom;
}

/** Adds a bilinear sample of which some of the four pixels lie outside and count as black. */
function addBorderSample(image: RgbImage, px: number, py: number, part: number, out: Scratch, at: number): void {
  const x0 = floor(px);
  const y0 = floor(py);
  for (let corner = 0; corner < 4; corner++) {
    const x = x0 + (corner & 1);
    const y = y0 + (corner >> 1);
    if (x < 0 || y < 0 || x >= image.width || y >= image.height) continue;
    const weight = (1 - abs(px - x)) * (1 - abs(py - y)) * part;
    const p = (y * image.width + x) * 3;
    out[at]! += image.data[p]! * weight;
    out[at + 1]! += image.data[p + 1]! * weight;
    out[at + 2]! += image.data[p + 2]! * weight;
  }
}
