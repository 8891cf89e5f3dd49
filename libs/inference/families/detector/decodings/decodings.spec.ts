import { describe, expect, it } from '@jest/globals';
import { floatTensor, type FloatTensor } from '../../../tensor.js';
import fc from 'fast-check';
import { overlap } from '../../../picture/box.js';
import type { FoundObject } from './decoding.js';
import { decodeObjects, type DetectorDecoding } from './index.js';
import { SHAPE, ROWS, logit, table, WRITERS } from './testing/written-outputs.js';

/** Decodings whose outputs hold class numbers. */
const NUMBERED = [
  ...['boxes', 'boxes-pose', 'boxes-segment', 'ultralytics-rtdetr'],
  ...['end2end', 'ssd', 'torchvision', 'd-fine', 'mmdet'],
];

const NAMES = Object.keys(WRITERS) as (keyof typeof WRITERS)[];

const object: fc.Arbitrary<FoundObject> = fc.record({
  x: fc.integer({ min: 0, max: 200 }),
  y: fc.integer({ min: 0, max: 100 }),
  w: fc.integer({ min: 8, max: 100 }),
  h: fc.integer({ min: 8, max: 80 }),
  kind: fc.nat(3),
  score: fc.integer({ min: 25, max: 95 }).map((percent) => percent / 100),
});

describe.each(NAMES)('%s', (name) => {
  it('returns the objects that were written in its format', () => {
    fc.assert(
      fc.property(fc.array(object, { maxLength: 12 }), (objects) => {
        // Far enough apart that none is suppressed.
        const apart = objects.filter((one, index) =>
          objects.slice(0, index).every((other) => overlap(one, other) < 0.4),
        );
        const found = decodeObjects(name, WRITERS[name](apart), SHAPE, 0.2);
        expect(found).toHaveLength(apart.length);
        for (const { x, y, w, h, kind, score } of found) {
          const same = apart.find((one) => one.kind === kind && overlap(one, { x, y, w, h }) > 0.98);
          expect(same?.score).toBeCloseTo(score, 4);
        }
        expect(found.map(({ score }) => score)).toEqual(found.map(({ score }) => score).sort((a, b) => b - a));
        expect(decodeObjects(name, WRITERS[name](apart), SHAPE, 0.5).every(({ score }) => score >= 0.5)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('is refused when the number of labels or the outputs differ', () => {
    const outputs = WRITERS[name]([]);
    const other = { ...SHAPE, kinds: 80 };
    // Decodings with class numbers accept any number of labels.
    if (!NUMBERED.includes(name)) expect(() => decodeObjects(name, outputs, other, 0.2)).toThrow(RangeError);
    expect(() => decodeObjects(name, {}, SHAPE, 0.2)).toThrow(RangeError);
    const wrong = floatTensor(new Float32Array(35), [5, 7]);
    expect(() =>
      decodeObjects(name, { ...outputs, [Object.keys(outputs).at(-1) ?? '']: wrong, more: wrong }, SHAPE, 0.2),
    ).toThrow(RangeError);
  });

  it('skips NaN values and unknown classes', () => {
    const nothing: FoundObject = { x: 10, y: 10, w: 20, h: 20, kind: 1, score: NaN };
    expect(decodeObjects(name, WRITERS[name]([nothing]), SHAPE, 0.2)).toEqual([]);
    if (!NUMBERED.includes(name)) return;
    expect(decodeObjects(name, WRITERS[name]([{ ...nothing, score: 0.9, kind: 7 }]), SHAPE, 0.2)).toEqual([]);
  });
});

describe('other names for the same outputs', () => {
  const objects = [{ x: 10, y: 20, w: 30, h: 40, kind: 2, score: 0.5 }];
  const { num_dets, det_boxes, det_scores, det_classes } = WRITERS.end2end(objects);
  it.each([
    ['MMYOLO', { num_dets, boxes: det_boxes, scores: det_scores, labels: det_classes }],
    [
      'YOLO-NAS',
      { num_predictions: num_dets, pred_boxes: det_boxes, pred_scores: det_scores, pred_classes: det_classes },
    ],
  ])('are read: %s', (_, outputs) => {
    expect(decodeObjects('end2end', outputs as Record<string, FloatTensor>, SHAPE, 0.2)).toMatchObject(objects);
  });
});

describe('suppression', () => {
  it('keeps the best of overlapping boxes for graphs without suppression', () => {
    const heap = [0, 1, 2].map((by) => ({ x: 50 + by, y: 50, w: 60, h: 60, kind: 2, score: 0.5 + by / 10 }));
    for (const name of ['yolov8', 'yolov5', 'yolox'] as const) {
      expect(decodeObjects(name, WRITERS[name](heap), SHAPE, 0.2).map(({ x }) => Math.round(x))).toEqual([52]);
    }
    expect(decodeObjects('boxes', WRITERS.boxes(heap), SHAPE, 0.2)).toHaveLength(3);
  });
});

describe('two classes that are likely in one place', () => {
  const [x, y, w, h] = [100, 60, 40, 30];
  const kinds = [0.1, 0.9, 0.6, 0];

  it.each<[DetectorDecoding, Record<string, FloatTensor>]>([
    ['yolov8', { output: table([[x], [y], [w], [h], ...kinds.map((score) => [score])], 1, 8) }],
    ['yolov5', { output: table([[x, y, w, h, 1, ...kinds]], 9, 1) }],
    ['yolox', { output: table([[0, 0, 0, 0, 1, ...kinds]], 9, ROWS) }],
    ['ultralytics-rtdetr-scores', { output: table([[0.4, 0.4, 0.2, 0.2, ...kinds]], 8, 300) }],
  ])("are one object of the surer class, as in the exporter's prediction: %s", (name, outputs) => {
    const found = decodeObjects(name, outputs, SHAPE, 0.2);
    expect(found.map(({ kind, score }) => [kind, Math.fround(score)])).toEqual([[1, Math.fround(0.9)]]);
  });

  const logits = [0.3, 0.9, 0.6, 0.01].map(logit);
  const places = table([[0.4, 0.4, 0.2, 0.2]], 4, 2);
  it.each<[DetectorDecoding, Record<string, FloatTensor>]>([
    ['rt-detr', { logits: table([logits, logits.map(() => -9)], 4, 2), pred_boxes: places }],
    [
      'rf-detr',
      {
        labels: table(
          [
            [...logits, 9],
            [-9, -9, -9, -9, 9],
          ],
          5,
          2,
        ),
        dets: places,
      },
    ],
  ])(
    'are two objects, of as many as there are queries, where the exporter takes the surest pairs: %s',
    (name, outputs) => {
      const found = decodeObjects(name, outputs, SHAPE, 0.2);
      expect(found.map(({ kind, score }) => [kind, score])).toEqual([
        [1, expect.closeTo(0.9)],
        [2, expect.closeTo(0.6)],
      ]);
    },
  );
});

describe('NanoDet-Plus', () => {
  it('measures from the corner of a cell, on four grids', () => {
    const cells = [8, 16, 32, 64].reduce((sum, stride) => sum + Math.ceil(320 / stride) * Math.ceil(192 / stride), 0);
    const columns = 4 + 32;
    const rows = Array.from({ length: cells }, () => [0, 0, 0, 0, ...Array<number>(32).fill(-30)]);
    // Row 1, column 2 of the finest grid: one stride to each side.
    const row = rows[42] ?? [];
    row[3] = 0.75;
    for (const edge of [0, 1, 2, 3]) row[4 + edge * 8 + 1] = 30;
    const [box, ...others] = decodeObjects('nanodet', { output: table(rows, columns, cells) }, SHAPE, 0.2);
    expect(others).toEqual([]);
    expect(box).toMatchObject({ kind: 3, score: 0.75 });
    expect([box?.x, box?.y, box?.w, box?.h].map((value) => Math.round(value ?? NaN))).toEqual([8, 0, 16, 16]);
    expect(() => decodeObjects('nanodet', { output: table(rows, columns, cells - 1) }, SHAPE, 0.2)).toThrow(RangeError);
  });
});

describe('PicoDet', () => {
  it('measures from the centre of a cell, with two outputs for each of four grids', () => {
    const outputs: Record<string, FloatTensor> = {};
    for (const stride of [8, 16, 32, 64]) {
      const cells = Math.ceil(320 / stride) * Math.ceil(192 / stride);
      const scores = Array.from({ length: cells }, () => [0, 0, 0, 0]);
      const edges = Array.from({ length: cells }, () => Array<number>(32).fill(-30));
      if (stride === 64) {
        // The second cell of the coarsest grid: half a stride to each side.
        scores[1] = [0, 0, 0.5, 0];
        for (const edge of [0, 1, 2, 3]) for (const step of [0, 1]) (edges[1] ?? [])[edge * 8 + step] = 30;
      }
      outputs[`scores_${stride}`] = table(scores, 4, cells);
      outputs[`edges_${stride}`] = table(edges, 32, cells);
    }
    const [box, ...others] = decodeObjects('nanodet', outputs, SHAPE, 0.2);
    expect(others).toEqual([]);
    expect(box).toMatchObject({ kind: 2, score: 0.5 });
    expect([box?.x, box?.y, box?.w, box?.h].map((value) => Math.round(value ?? NaN))).toEqual([64, 0, 64, 64]);
  });
});
