import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { overlap } from '../../../picture/box.js';
import { floatTensor, type FloatTensor } from '../../../tensor.js';
import type { FoundObject } from '../../detector/decodings/decoding.js';
import { decodeFaces, type FaceDecoding } from './index.js';

const SHAPE = { width: 320, height: 256, kinds: 1 };
const STRIDES = [8, 16, 32];
const cellsOf = (stride: number): number => (SHAPE.width / stride) * (SHAPE.height / stride);

interface Row {
  /** Index of the anchor in its output. */
  at: number;
  values: number[];
}

/** A tensor of zeroes except for some rows. */
function table(rows: Row[], columns: number, count: number, rest = 0): FloatTensor {
  const data = new Float32Array(count * columns).fill(rest);
  for (const { at, values } of rows) data.set(values, at * columns);
  return floatTensor(data, [count, columns]);
}

/** Each face is written at another cell of the grid than it lies in, since boxes are free. */
const gridded = (faces: FoundObject[], write: (face: FoundObject, at: number, stride: number) => Row | null) =>
  STRIDES.map((stride, level) =>
    faces.flatMap((face, index) => (index % 3 === level ? (write(face, index + 3, stride) ?? []) : [])),
  );
const corner = (at: number, stride: number, perPlace: number): [number, number] => {
  const place = Math.floor(at / perPlace);
  const columns = SHAPE.width / stride;
  return [(place % columns) * stride, Math.floor(place / columns) * stride];
};
const centre = ({ x, y, w, h }: FoundObject): [number, number] => [x + w / 2, y + h / 2];

/** Writers of outputs for known faces, in the format that each maker defines. */
const WRITERS: Record<FaceDecoding, (faces: FoundObject[]) => Record<string, FloatTensor>> = {
  scrfd: (faces) => {
    const scores = gridded(faces, ({ score }, at) => ({ at, values: [score] }));
    const boxes = gridded(faces, ({ x, y, w, h }, at, stride) => {
      const [left, top] = corner(at, stride, 2);
      return { at, values: [left - x, top - y, x + w - left, y + h - top].map((side) => side / stride) };
    });
    return Object.fromEntries(
      STRIDES.flatMap((stride, level) => [
        [`${440 + level}`, table(scores[level]!, 1, 2 * cellsOf(stride))],
        [`${450 + level}`, table(boxes[level]!, 4, 2 * cellsOf(stride))],
        [`${460 + level}`, table([], 10, 2 * cellsOf(stride))],
      ]),
    );
  },
  yunet: (faces) => {
    const shares = gridded(faces, ({ score }, at) => ({ at, values: [score ** 2 / 0.95] }));
    const boxes = gridded(faces, (face, at, stride) => {
      const [left, top] = corner(at, stride, 1);
      const [x, y] = centre(face);
      return {
        at,
        values: [(x - left) / stride, (y - top) / stride, ...[face.w, face.h].map((s) => Math.log(s / stride))],
      };
    });
    return Object.fromEntries(
      STRIDES.flatMap((stride, level) => [
        [`cls_${stride}`, table(shares[level]!, 1, cellsOf(stride))],
        [`obj_${stride}`, table([], 1, cellsOf(stride), 0.95)],
        [`bbox_${stride}`, table(boxes[level]!, 4, cellsOf(stride))],
        [`kps_${stride}`, table([], 10, cellsOf(stride))],
      ]),
    );
  },
  retinaface: (faces) => {
    const count = STRIDES.reduce((sum, stride) => sum + 2 * cellsOf(stride), 0);
    // All use anchors of the finest grid: 16 and 32 pixels, two per place.
    const boxes = faces.map((face, index) => {
      const at = index + 3;
      const [left, top] = corner(at, 8, 2);
      const size = at % 2 === 0 ? 16 : 32;
      const [x, y] = centre(face);
      const offsets = [x - left - 4, y - top - 4].map((by) => by / (0.1 * size));
      return { at, values: [...offsets, ...[face.w, face.h].map((side) => Math.log(side / size) / 0.2)] };
    });
    const scores = faces.map(({ score }, index) => ({ at: index + 3, values: [1 - score, score] }));
    return { loc: table(boxes, 4, count), conf: table(scores, 2, count), landms: table([], 10, count) };
  },
  ultraface: (faces) => ({
    scores: table(
      faces.map(({ score }, at) => ({ at, values: [1 - score, score] })),
      2,
      4420,
    ),
    boxes: table(
      faces.map(({ x, y, w, h }, at) => ({
        at,
        values: [x / SHAPE.width, y / SHAPE.height, (x + w) / SHAPE.width, (y + h) / SHAPE.height],
      })),
      4,
      4420,
    ),
  }),
  blazeface: (faces) => ({
    regressors: table(
      faces.map((face, index) => {
        // The coarse grid has six per place and comes second.
        const [column, row] = [Math.floor(index / 6) % 8, Math.floor(index / 48)];
        const [x, y] = centre(face);
        const at = 512 + index;
        return { at, values: [x - (column + 0.5) * 40, y - (row + 0.5) * 32, face.w, face.h] };
      }),
      16,
      896,
    ),
    classificators: table(
      faces.map(({ score }, index) => ({ at: 512 + index, values: [Math.log(score / (1 - score))] })),
      1,
      896,
      -99,
    ),
  }),
};

const face: fc.Arbitrary<FoundObject> = fc.record({
  x: fc.integer({ min: 0, max: 200 }),
  y: fc.integer({ min: 0, max: 150 }),
  w: fc.integer({ min: 8, max: 100 }),
  h: fc.integer({ min: 8, max: 90 }),
  kind: fc.constant(0),
  score: fc.integer({ min: 25, max: 95 }).map((percent) => percent / 100),
});

describe.each(Object.keys(WRITERS) as FaceDecoding[])('%s', (name) => {
  it('returns the faces that were written in its format', () => {
    fc.assert(
      fc.property(fc.array(face, { maxLength: 12 }), (faces) => {
        // Far enough apart that none is suppressed.
        const apart = faces.filter((one, index) => faces.slice(0, index).every((other) => overlap(one, other) < 0.2));
        const found = decodeFaces(name, WRITERS[name](apart), SHAPE, 0.2);
        expect(found).toHaveLength(apart.length);
        for (const { score, ...box } of found) {
          const same = apart.find((one) => overlap(one, box) > 0.98);
          expect(same?.score).toBeCloseTo(score, 3);
        }
        expect(decodeFaces(name, WRITERS[name](apart), SHAPE, 0.5).every(({ score }) => score >= 0.5)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('keeps the best of overlapping faces', () => {
    const heap = [0, 1, 2].map((by) => ({ x: 50 + by, y: 50, w: 60, h: 60, kind: 0, score: 0.5 + by / 10 }));
    expect(decodeFaces(name, WRITERS[name](heap), SHAPE, 0.2).map(({ x }) => Math.round(x))).toEqual([52]);
  });

  it('is refused when the outputs differ, and skips NaN values', () => {
    const outputs = WRITERS[name]([]);
    const [[first = '', ...others] = []] = [Object.keys(outputs)];
    expect(() => decodeFaces(name, {}, SHAPE, 0.2)).toThrow(RangeError);
    const missing = Object.fromEntries(others.map((each) => [each, outputs[each]!]));
    expect(() => decodeFaces(name, missing, SHAPE, 0.2)).toThrow(RangeError);
    const short = floatTensor(new Float32Array(30), [30 / outputs[first]!.dims[1]!, outputs[first]!.dims[1]!]);
    expect(() => decodeFaces(name, { ...outputs, [first]: short }, SHAPE, 0.2)).toThrow(RangeError);
    const nothing = { x: 10, y: 10, w: 20, h: 20, kind: 0, score: NaN };
    expect(decodeFaces(name, WRITERS[name]([nothing]), SHAPE, 0.2)).toEqual([]);
  });
});

describe('BlazeFace', () => {
  it('gives the same from one output and from one per grid', () => {
    const faces = [
      { x: 20, y: 30, w: 60, h: 70, kind: 0, score: 0.9 },
      { x: 180, y: 100, w: 50, h: 60, kind: 0, score: 0.7 },
    ];
    const { regressors, classificators } = WRITERS.blazeface(faces) as Record<string, FloatTensor>;
    const part = ({ data, dims }: FloatTensor, from: number, to: number): FloatTensor =>
      floatTensor(data.slice(from * dims[1]!, to * dims[1]!), [to - from, dims[1]!]);
    const split = {
      Identity_1: part(classificators!, 512, 896),
      Identity: part(classificators!, 0, 512),
      Identity_2: part(regressors!, 0, 512),
      Identity_3: part(regressors!, 512, 896),
    };
    expect(decodeFaces('blazeface', split, SHAPE, 0.2)).toEqual(
      decodeFaces('blazeface', WRITERS.blazeface(faces), SHAPE, 0.2),
    );
  });
});
