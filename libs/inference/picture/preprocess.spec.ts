import { describe, expect, it } from '@jest/globals';
import { ImageInput } from '@adit/contracts';
import fc from 'fast-check';
import { applyAffine, boxMap, similarityMap, turnedSquareMap, type Affine, type Point } from './affine.js';
import type { RgbImage } from '@adit/media';
import { letterbox } from './fit.js';
import { imageTensor, readable, tiles } from './preprocess.js';
import { resample } from './resample.js';
import { noise } from '../testing/noise.js';

function pixel(image: RgbImage, x: number, y: number, channel: number): number {
  const outside = x < 0 || y < 0 || x >= image.width || y >= image.height;
  return outside ? 0 : image.data[(y * image.width + x) * 3 + channel]!;
}

/** Reference bilinear sampling at a continuous point, black outside. */
function sample(image: RgbImage, [x, y]: Point, channel: number): number {
  const left = Math.floor(x - 0.5);
  const top = Math.floor(y - 0.5);
  let sum = 0;
  for (const dy of [0, 1]) {
    for (const dx of [0, 1]) {
      const weight = (1 - Math.abs(x - 0.5 - left - dx)) * (1 - Math.abs(y - 0.5 - top - dy));
      sum += weight * pixel(image, left + dx, top + dy, channel);
    }
  }
  return sum;
}

function naive(image: RgbImage, map: Affine, width: number, height: number, n: number): number[] {
  const out: number[] = [];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0;
        for (let i = 0; i < n * n; i++) {
          const point: Point = [x + ((i % n) + 0.5) / n, y + (Math.floor(i / n) + 0.5) / n];
          sum += sample(image, applyAffine(map, point), channel);
        }
        out.push(sum / (n * n));
      }
    }
  }
  return out;
}

function worstDifference(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let worst = 0;
  for (let i = 0; i < b.length; i++) worst = Math.max(worst, Math.abs(a[i]! - b[i]!));
  return worst;
}

const image = noise(40, 30);

describe('resample', () => {
  const cases: [string, Affine, number][] = [
    ['enlarged upright', boxMap({ x: 3.3, y: 4.7, w: 10, h: 8 }, 16, 12), 1],
    ['enlarged over the border', boxMap({ x: -4.2, y: 22.5, w: 12, h: 12 }, 16, 12), 1],
    ['shifted by part of a pixel', [1, 0, 2.25, 0, 1, 3.5], 1],
    ['at its own size over the border', [1, 0, -5, 0, 1, 24], 1],
    ['turned', turnedSquareMap([20, 15], 14, 0.6, 16), 1],
    ['turned and shrunk', turnedSquareMap([20, 15], 34, -0.9, 16), 2],
    ['turned over every border', turnedSquareMap([20, 15], 60, 2.1, 16), 4],
    ['mirrored', [-1, 0, 30, 0, 1, 2], 1],
  ];
  it.each(cases)('agrees with the reference sampling: %s', (_, map, n) => {
    expect(worstDifference(resample(image, map, 16, 12), naive(image, map, 16, 12, n))).toBeLessThan(1e-3);
  });

  it('shrinks by whole factors to samples spread over each pixel', () => {
    const small = resample(image, boxMap({ x: 0, y: 0, w: 40, h: 30 }, 20, 15), 20, 15);
    const mean = (x: number, y: number, c: number): number =>
      (pixel(image, 2 * x, 2 * y, c) +
        pixel(image, 2 * x + 1, 2 * y, c) +
        pixel(image, 2 * x, 2 * y + 1, c) +
        pixel(image, 2 * x + 1, 2 * y + 1, c)) /
      4;
    const wanted = Array.from({ length: 20 * 15 * 3 }, (_, i) =>
      mean(Math.floor(i / 3) % 20, Math.floor(i / 60), i % 3),
    );
    expect(worstDifference(small, wanted)).toBeLessThan(1e-3);
  });

  it('keeps a uniform colour uniform, whatever the map, inside the picture', () => {
    const grey: RgbImage = { data: new Uint8Array(64 * 64 * 3).fill(77), width: 64, height: 64 };
    const maps = fc.record({
      angle: fc.double({ min: -3, max: 3, noNaN: true }),
      size: fc.double({ min: 2, max: 40, noNaN: true }),
      side: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(maps, ({ angle, size, side }) => {
        const pixels = resample(grey, turnedSquareMap([32, 32], size, angle, side), side, side);
        const wanted = new Array<number>(side * side * 3).fill(77);
        expect(worstDifference(pixels, wanted)).toBeLessThan(1e-3);
      }),
    );
  });
});

describe('imageTensor', () => {
  const spec = (parts: Partial<ImageInput>): ImageInput =>
    ImageInput.parse({ tensor: 'x', width: 8, height: 6, mean: [10, 20, 30], std: [2, 4, 8], ...parts });
  const maps: [string, Affine][] = [
    ['at its own size', [1, 0, 3, 0, 1, 5]],
    ['resized', boxMap({ x: 3, y: 5, w: 11, h: 7 }, 8, 6)],
  ];
  it.each(maps)('puts values in the layout and colour order, %s', (_, map) => {
    const pixels = Float32Array.from(resample(image, map, 8, 6));
    for (const layout of ['nchw', 'nhwc'] as const) {
      for (const colour of ['rgb', 'bgr'] as const) {
        const tensor = imageTensor(image, map, spec({ layout, colour }));
        expect(tensor.dims).toEqual(layout === 'nchw' ? [3, 6, 8] : [6, 8, 3]);
        const [x, y, channel] = [5, 2, 0];
        const at = layout === 'nchw' ? (channel * 6 + y) * 8 + x : (y * 8 + x) * 3 + channel;
        // Mean and std of channel 0 belong to the first channel of the model's order.
        const value = pixels[(y * 8 + x) * 3 + (colour === 'rgb' ? 0 : 2)]!;
        expect(tensor.data[at]).toBeCloseTo((value - 10) / 2, 3);
      }
    }
  });

  it('converts colours to BT.601 luma for a grey input', () => {
    const map = maps[1]![1];
    const pixels = Float32Array.from(resample(image, map, 8, 6));
    const { data, dims } = imageTensor(image, map, spec({ colour: 'grey', mean: [0], std: [256] }));
    expect(dims).toEqual([1, 6, 8]);
    expect(data[9]).toBeCloseTo((0.299 * pixels[27]! + 0.587 * pixels[28]! + 0.114 * pixels[29]!) / 256, 5);
  });
});

describe('similarityMap', () => {
  it('finds the similarity that moved the points', () => {
    const number = fc.double({ min: -50, max: 50, noNaN: true });
    const points = fc.array(fc.tuple(number, number), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(
        points,
        fc.double({ min: -3, max: 3, noNaN: true }),
        fc.double({ min: 1, max: 90, noNaN: true }),
        (from, angle, size) => {
          const spread = Math.max(...from.map(([x, y]) => Math.hypot(x - from[0]![0], y - from[0]![1])));
          fc.pre(spread > 1);
          const truth = turnedSquareMap([5, -3], size, angle, 30);
          const found = similarityMap(
            from,
            from.map((point) => applyAffine(truth, point)),
          );
          expect(worstDifference(found, truth)).toBeLessThan(1e-6 * (1 + Math.max(...truth.map(Math.abs))) + 1e-6);
        },
      ),
    );
  });

  it('refuses identical points', () => {
    expect(() =>
      similarityMap(
        [
          [1, 1],
          [1, 1],
        ],
        [
          [0, 0],
          [5, 5],
        ],
      ),
    ).toThrow(RangeError);
  });
});

describe('tiles', () => {
  it('cover every pixel, overlap as requested and stay inside', () => {
    const sides = fc.integer({ min: 1, max: 3000 });
    fc.assert(
      fc.property(sides, sides, fc.integer({ min: 0, max: 100 }), (width, height, overlap) => {
        const boxes = tiles(width, height, { width: 320, height: 240 }, overlap);
        const columns = [...new Set(boxes.map((box) => box.x))].sort((a, b) => a - b);
        expect(columns[0]).toBe(0);
        columns.slice(1).forEach((x, i) => expect(x - columns[i]!).toBeLessThanOrEqual(320 - overlap + 1));
        if (width > 320) expect(columns.at(-1)! + 320).toBe(width);
        const rows = new Set(boxes.map((box) => box.y)).size;
        expect(boxes.length).toBe(columns.length * rows);
        if (height > 240) expect(Math.max(...boxes.map((box) => box.y)) + 240).toBe(height);
        else expect(rows).toBe(1);
      }),
    );
  });
});

describe('letterbox', () => {
  it('holds the whole picture in the aspect ratio of the input', () => {
    expect(letterbox(1920, 1080, { width: 320, height: 240 })).toEqual({ x: 0, y: -180, w: 1920, h: 1440 });
    expect(letterbox(300, 600, { width: 320, height: 240 })).toEqual({ x: -250, y: 0, w: 800, h: 600 });
  });
});

describe('the outputs for a picture', () => {
  it('are refused above the limit of numbers', () => {
    const bytes = (count: number) => ({ type: 'uint8' as const, data: new Uint8Array(count), dims: [count] });
    const outputs = { boxes: bytes(2 ** 25), scores: bytes(2 ** 25) };
    expect(readable('mine', outputs)).toBe(outputs);
    expect(() => readable('mine', { ...outputs, more: bytes(1) })).toThrow(
      'mine answers 67108865 numbers for a picture: 67108864 can be read.',
    );
  });
});
