/* eslint-disable @typescript-eslint/no-non-null-assertion -- loops over pixels stay within the picture; a check in each would cost more than the arithmetic */
import { AditError, type ImageInput } from '@adit/contracts';
import { freeArray } from '@adit/media/free-array';
import type { RgbImage } from '@adit/media';
import { boxMap, type Affine, type PixelBox } from './affine.js';
import { fit, seenRegion } from './fit.js';
import { resample, resampleBetweenPixels } from './resample.js';
import type { NetworkSession } from '../session.js';
import { floatsOf, floatTensor, type FloatTensor, type Tensor } from '../tensor.js';

/**
 * Returns a network's input for a picture seen through `map`: one row of dims 3×H×W (nchw) or H×W×3 (nhwc), or with one
 * channel for grey (ITU-R BT.601 luma), each value `(pixel − mean) / std` in the manifest's colour order. Writes to
 * `into` when given, which must have that many values.
 */
export function imageTensor(image: RgbImage, map: Affine, input: ImageInput, into?: Float32Array): FloatTensor {
  const { width, height } = input;
  const data = into ?? new Float32Array(sizeOf(input));
  if (showsPixelsAsTheyAre(image, map, input)) return pixelTensor(image, map[2], map[5], input, data);
  return normalised(resample(image, map, width, height), input, data);
}

/** Normalises pixels in the size of the input into `data`. */
function normalised(pixels: Float32Array, input: ImageInput, data: Float32Array): FloatTensor {
  const count = input.width * input.height;
  if (input.colour === 'grey') {
    const { factor, offset } = normaliser(input, 0);
    for (let i = 0, at = 0; i < count; i++, at += 3) {
      data[i] = (0.299 * pixels[at]! + 0.587 * pixels[at + 1]! + 0.114 * pixels[at + 2]!) * factor + offset;
    }
    return floatTensor(data, dimsOf(input));
  }
  const { step, values, factors, offsets } = channelsOf(data, input);
  const [red, green, blue] = values;
  const [redFactor, greenFactor, blueFactor] = factors;
  const [redOffset, greenOffset, blueOffset] = offsets;
  for (let i = 0, at = 0, to = 0; i < count; i++, at += 3, to += step) {
    red[to] = pixels[at]! * redFactor + redOffset;
    green[to] = pixels[at + 1]! * greenFactor + greenOffset;
    blue[to] = pixels[at + 2]! * blueFactor + blueOffset;
  }
  return floatTensor(data, dimsOf(input));
}

function sizeOf({ colour, width, height }: ImageInput): number {
  return width * height * (colour === 'grey' ? 1 : 3);
}

function dimsOf({ colour, layout, width, height }: ImageInput): number[] {
  const channels = colour === 'grey' ? 1 : 3;
  return layout === 'nchw' ? [channels, height, width] : [height, width, channels];
}

type PerColour<T> = [red: T, green: T, blue: T];

/**
 * Splits a tensor by colour: the first value of each colour, its normalisation, and the step between pixels. Loops that
 * keep these in variables run a third faster than with sums or properties in the index.
 */
function channelsOf(data: Float32Array, input: ImageInput) {
  const planar = input.layout === 'nchw';
  const plane = planar ? input.width * input.height : 1;
  const perColour = <T>(of: (channel: number) => T): PerColour<T> =>
    input.colour === 'bgr' ? [of(2), of(1), of(0)] : [of(0), of(1), of(2)];
  return {
    step: planar ? 1 : 3,
    values: perColour((channel) => data.subarray(channel * plane)),
    factors: perColour((channel) => normaliser(input, channel).factor),
    offsets: perColour((channel) => normaliser(input, channel).offset),
  };
}

function showsPixelsAsTheyAre(image: RgbImage, map: Affine, input: ImageInput): boolean {
  const [a, b, left, d, e, top] = map;
  const whole = a === 1 && b === 0 && d === 0 && e === 1 && Number.isInteger(left) && Number.isInteger(top);
  const inside = left >= 0 && top >= 0 && left + input.width <= image.width && top + input.height <= image.height;
  return whole && inside && input.colour !== 'grey';
}

/** Builds `imageTensor` for a region at its own size, the common case of tiled detection, without resampling. */
function pixelTensor(image: RgbImage, left: number, top: number, input: ImageInput, data: Float32Array): FloatTensor {
  const { width, height } = input;
  const { data: pixels } = image;
  const { step, values, factors, offsets } = channelsOf(data, input);
  const [red, green, blue] = values;
  const [redFactor, greenFactor, blueFactor] = factors;
  const [redOffset, greenOffset, blueOffset] = offsets;
  let to = 0;
  for (let y = 0; y < height; y++) {
    let at = ((top + y) * image.width + left) * 3;
    for (let x = 0; x < width; x++, at += 3, to += step) {
      red[to] = pixels[at]! * redFactor + redOffset;
      green[to] = pixels[at + 1]! * greenFactor + greenOffset;
      blue[to] = pixels[at + 2]! * blueFactor + blueOffset;
    }
  }
  return floatTensor(data, dimsOf(input));
}

/**
 * Pool of unused tensors by length: at a megabyte each, fresh ones keep the garbage collector busier than the networks.
 * They are shared memory, which a worker thread reads without a copy.
 */
const spare = new Map<number, Float32Array[]>();
const MAX_SPARE = 8;

/** View of a picture for a network: through a map, or the whole of it as its manifest says (`seenRegion`). */
export type View = Affine | 'whole';

/** Runs a network of one picture input on a view of a picture; returns outputs by name, converted to floats. */
export async function runOnPicture(
  network: NetworkSession,
  image: RgbImage,
  view: View,
): Promise<Record<string, FloatTensor>> {
  const input = inputOf(network);
  const { width, height } = input;
  const length = sizeOf(input);
  const free = spare.get(length) ?? [];
  spare.set(length, free);
  const data = free.pop() ?? new Float32Array(new SharedArrayBuffer(length * 4));
  try {
    const outputs = network.runPixels
      ? await network.runPixels(floatTensor(pixelsOf(image, view, input, data), [height, width, 3]))
      : await network.run({ [input.tensor]: tensorOf(image, view, input, data) });
    return floatsOf(readable(network.name, outputs));
  } finally {
    if (free.length < MAX_SPARE) free.push(data);
  }
}

/**
 * Limit of numbers in all outputs for one picture: a detector with 1,203 labels answers 40 million for 1280 × 1280
 * pixels.
 */
const MAX_NUMBERS = 64 * 1024 * 1024;

/**
 * Returns a picture's outputs. Throws VALIDATION, naming the network, above the limit, since reading them would block
 * others.
 */
export function readable<T extends Record<string, Tensor>>(name: string, outputs: T): T {
  const count = Object.values(outputs).reduce((sum, { data }) => sum + data.length, 0);
  if (count <= MAX_NUMBERS) return outputs;
  throw new AditError('VALIDATION', `${name} answers ${count} numbers for a picture: ${MAX_NUMBERS} can be read.`);
}

function pixelsOf(image: RgbImage, view: View, input: ImageInput, data: Float32Array): Float32Array {
  const { width, height } = input;
  if (view !== 'whole') return resample(image, view, width, height, data);
  if (input.filter === undefined) return resample(image, wholeMap(image, input), width, height, data);
  fit(image, input, data);
  return data;
}

function tensorOf(image: RgbImage, view: View, input: ImageInput, data: Float32Array): FloatTensor {
  if (view !== 'whole') return imageTensor(image, view, input, data);
  if (input.filter === undefined) return imageTensor(image, wholeMap(image, input), input, data);
  const pixels = new Float32Array(input.width * input.height * 3);
  fit(image, input, pixels);
  return normalised(pixels, input, data);
}

function wholeMap(image: RgbImage, input: ImageInput): Affine {
  return boxMap(seenRegion(image, input), input.width, input.height);
}

/**
 * Runs a network as above, for large outputs that are read at once: `read` gets them, and their memory is freed when it
 * returns. Its result must not refer to them.
 */
export async function readFromPicture<T>(
  network: NetworkSession,
  image: RgbImage,
  view: View,
  read: (outputs: Record<string, FloatTensor>) => T,
): Promise<T> {
  const outputs = await runOnPicture(network, image, view);
  try {
    return read(outputs);
  } finally {
    for (const { data } of Object.values(outputs)) freeArray(data);
  }
}

/** Returns the manifest's picture input. Throws INTERNAL when the manifest has none. */
export function inputOf(network: NetworkSession): ImageInput {
  if (network.manifest.input) return network.manifest.input;
  throw new AditError('INTERNAL', `Model ${network.name} has no input in its model.yaml: say how pixels reach it.`);
}

/** Returns the view through `map` as an 8-bit picture; black outside. */
export function warp(image: RgbImage, map: Affine, width: number, height: number): RgbImage {
  return eightBits(resample(image, map, width, height), width, height);
}

/** Warps as OpenCV's warpAffine: interpolates between four pixels, however much it shrinks. */
export function warpAsOpenCv(image: RgbImage, map: Affine, width: number, height: number): RgbImage {
  return eightBits(resampleBetweenPixels(image, map, width, height), width, height);
}

function eightBits(pixels: Float32Array, width: number, height: number): RgbImage {
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < data.length; i++) data[i] = pixels[i]! + 0.5;
  return { data, width, height };
}

/**
 * Returns boxes of the given size that cover a picture, spread evenly at whole pixels, neighbours overlapping by at
 * least `overlap` pixels. A picture smaller than a box along an axis gets one that starts at 0.
 */
export function tiles(
  width: number,
  height: number,
  tile: { width: number; height: number },
  overlap: number,
): PixelBox[] {
  const boxes: PixelBox[] = [];
  for (const y of starts(height, tile.height, overlap)) {
    for (const x of starts(width, tile.width, overlap)) boxes.push({ x, y, w: tile.width, h: tile.height });
  }
  return boxes;
}

function starts(length: number, tile: number, overlap: number): number[] {
  if (length <= tile) return [0];
  const count = Math.ceil((length - overlap) / (tile - overlap));
  return Array.from({ length: count }, (_, i) => Math.round((i * (length - tile)) / (count - 1)));
}

function normaliser(input: ImageInput, channel: number): { factor: number; offset: number } {
  const mean = input.mean[channel] ?? input.mean[0] ?? 0;
  const std = input.std[channel] ?? input.std[0] ?? 1;
  return { factor: 1 / std, offset: -mean / std };
}
