import { describe, expect, it } from '@jest/globals';
import { floatTensor, type FloatTensor } from '../../../tensor.js';
import fc from 'fast-check';
import { overlap } from '../../../picture/box.js';
import type { DetectorShape, FoundObject, Outputs } from './decoding.js';
import { decodeObjects } from './index.js';
import { meanBin } from './nanodet.js';

const decode = (outputs: Outputs, shape: DetectorShape, minScore: number): FoundObject[] =>
  decodeObjects('nanodet', outputs, shape, minScore);

const SHAPE = { width: 416, height: 416, kinds: 3 };
const BINS = 11;
const GRIDS = [
  { stride: 8, cells: 52, scores: 'Identity', edges: 'Identity_3' },
  { stride: 16, cells: 26, scores: 'Identity_1', edges: 'Identity_4' },
  { stride: 32, cells: 13, scores: 'Identity_2', edges: 'Identity_5' },
];

interface Planted {
  grid: number;
  column: number;
  row: number;
  kind: number;
  score: number;
  /** Left, top, right, bottom, in strides. */
  edges: number[];
}

/** Writes outputs for known boxes: each distance as a distribution over its two neighbouring integers. */
function outputsOf(planted: Planted[]): Record<string, FloatTensor> {
  const outputs: Record<string, FloatTensor> = {};
  for (const { cells, scores, edges } of GRIDS) {
    outputs[scores] = floatTensor(new Float32Array(cells * cells * SHAPE.kinds), [cells * cells, SHAPE.kinds]);
    outputs[edges] = floatTensor(new Float32Array(cells * cells * 4 * BINS).fill(-30), [cells * cells, 4 * BINS]);
  }
  for (const { grid, column, row, kind, score, edges } of planted) {
    const { cells, ...names } = GRIDS[grid]!;
    const place = row * cells + column;
    outputs[names.scores]!.data[place * SHAPE.kinds + kind] = score;
    edges.forEach((distance, edge) => {
      const at = (place * 4 + edge) * BINS;
      const below = Math.floor(distance);
      const share = distance - below;
      if (share < 1) outputs[names.edges]!.data[at + below] = Math.log(1 - share);
      if (share > 0) outputs[names.edges]!.data[at + below + 1] = Math.log(share);
    });
  }
  return outputs;
}

describe('the mean of a distribution over distances', () => {
  it('equals the directly computed sum, whatever is added to every logit', () => {
    const logits = fc.array(fc.double({ min: -8, max: 8, noNaN: true }), { minLength: BINS, maxLength: BINS });
    fc.assert(
      fc.property(logits, fc.integer({ min: -500, max: 500 }), (values, shift) => {
        const weights = values.map(Math.exp);
        const expected =
          weights.reduce((sum, weight, i) => sum + weight * i, 0) / weights.reduce((sum, weight) => sum + weight, 0);
        const shifted = Float32Array.from([99, ...values.map((value) => value + shift)]);
        expect(meanBin(shifted, 1, BINS)).toBeCloseTo(expected, 2);
      }),
    );
  });
});

describe('boxes decoded from the network', () => {
  it('lie where the distances from their cells put them', () => {
    const place = fc.record({
      grid: fc.nat(2),
      column: fc.nat(12),
      row: fc.nat(12),
      kind: fc.nat(2),
      score: fc.float({ min: Math.fround(0.3), max: 1, noNaN: true }),
      edges: fc.array(fc.float({ min: 0.25, max: 9.5, noNaN: true }), { minLength: 4, maxLength: 4 }),
    });
    fc.assert(
      fc.property(place, (planted) => {
        const { stride } = GRIDS[planted.grid]!;
        const [left, top, right, bottom] = planted.edges.map((edge) => edge * stride) as [
          number,
          number,
          number,
          number,
        ];
        const x = (planted.column + 0.5) * stride;
        const y = (planted.row + 0.5) * stride;
        const [box, ...others] = decode(outputsOf([planted]), SHAPE, 0.2);
        expect(others).toEqual([]);
        expect(box).toMatchObject({ kind: planted.kind, score: planted.score });
        expect(box!.x).toBeCloseTo(x - left, 2);
        expect(box!.y).toBeCloseTo(y - top, 2);
        expect(box!.w).toBeCloseTo(left + right, 2);
        expect(box!.h).toBeCloseTo(top + bottom, 2);
      }),
      { numRuns: 50 },
    );
  });

  it('are the best of overlapping ones, class by class, best first', () => {
    const planted = fc.array(
      fc.record({
        grid: fc.nat(2),
        column: fc.nat(12),
        row: fc.nat(12),
        kind: fc.nat(2),
        score: fc.integer({ min: 1, max: 100 }).map((percent) => percent / 100),
        edges: fc.constant<number[]>([2, 2, 2, 2]),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(planted, fc.constantFrom(0.2, 0.5), (places, minScore) => {
        const outputs = outputsOf(places);
        const boxes = decode(outputs, SHAPE, minScore);
        for (const [i, box] of boxes.entries()) {
          expect(box.score).toBeGreaterThanOrEqual(minScore);
          for (const better of boxes.slice(0, i)) {
            expect(better.score).toBeGreaterThanOrEqual(box.score);
            if (better.kind === box.kind) expect(overlap(better, box)).toBeLessThanOrEqual(0.6);
          }
        }
        // Only boxes covered by a better one of their class are dropped: a lower threshold keeps the rest unchanged.
        const scores = Object.values(outputs)
          .filter((tensor) => tensor.dims[1] === SHAPE.kinds)
          .flatMap((tensor) => [...tensor.data].filter((score) => score >= minScore));
        expect(boxes.length).toBeLessThanOrEqual(scores.length);
        const kinds = new Set(places.filter(({ score }) => Math.fround(score) >= minScore).map(({ kind }) => kind));
        for (const box of boxes) expect(kinds).toContain(box.kind);
        if (scores.length > 0) expect(boxes[0]?.score).toBe(Math.max(...scores));
      }),
      { numRuns: 50 },
    );
  });

  it('of two classes are kept in one place', () => {
    const same = { grid: 1, column: 5, row: 5, edges: [3, 3, 3, 3] };
    const found = decode(
      outputsOf([
        { ...same, kind: 0, score: 0.5 },
        { ...same, kind: 2, score: 0.75 },
      ]),
      SHAPE,
      0.2,
    );
    expect(found.map(({ kind }) => kind)).toEqual([2, 0]);
  });

  it('are refused when an output is missing or of another size', () => {
    const { Identity_4: _, ...missing } = outputsOf([]);
    expect(() => decode(missing, SHAPE, 0.2)).toThrow(RangeError);
    expect(() => decode(outputsOf([]), { ...SHAPE, kinds: 80 }, 0.2)).toThrow(/80 classes on 52×52/);
  });
});
