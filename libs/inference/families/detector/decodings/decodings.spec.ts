import { describe, expect, it } from '@jest/globals';
import { floatTensor, type FloatTensor } from '../../../tensor.js';
import fc from 'fast-check';
import { overlap } from '../../../picture/box.js';
import type { FoundObject } from './decoding.js';
import { decodeObjects, type DetectorDecoding } from './index.js';
import { MAX_COMPARED, SurestBoxes } from './surest-boxes.js';

const SHAPE = { width: 320, height: 192, kinds: 4 };
const STRIDES = [8, 16, 32];
const GRID = STRIDES.flatMap((stride) =>
  Array.from({ length: (SHAPE.width / stride) * (SHAPE.height / stride) }, (_, place) => ({
    x: place % (SHAPE.width / stride),
    y: Math.floor(place / (SHAPE.width / stride)),
    stride,
  })),
);
const ROWS = 1260;
/** Five masks that a box of a segmentation combines. */
const MASKS = floatTensor(new Float32Array(5 * 6 * 10), [5, 6, 10]);

type Writer = (object: FoundObject, row: number) => number[];
const centred: Writer = ({ x, y, w, h }) => [x + w / 2, y + h / 2, w, h];
const shares = (kind: number, score: number): number[] => [0, 1, 2, 3].map((each) => (each === kind ? score : 0));
const logit = (share: number): number => Math.log(share / (1 - share));

function table(rows: number[][], columns: number, count: number): FloatTensor {
  const data = new Float32Array(count * columns);
  rows.forEach((row, index) => data.set(row, index * columns));
  return floatTensor(data, [count, columns]);
}

function transposed({ data, dims }: FloatTensor): FloatTensor {
  const [rows = 0, columns = 0] = dims;
  return floatTensor(
    Float32Array.from(data, (_, at) => data[(at % rows) * columns + Math.floor(at / rows)] ?? 0),
    [columns, rows],
  );
}

/** Writers of outputs for known objects, by row, in the format that each exporter defines. */
const WRITERS: Record<Exclude<DetectorDecoding, 'nanodet'>, (objects: FoundObject[]) => Record<string, FloatTensor>> = {
  yolov8: (objects) => ({
    output0: transposed(
      table(
        objects.map((object) => [...centred(object, 0), ...shares(object.kind, object.score)]),
        8,
        ROWS,
      ),
    ),
  }),
  'yolov8-pose': (objects) => ({
    output0: transposed(
      table(
        // Two points with their visibilities.
        objects.map((object) => [...centred(object, 0), ...shares(object.kind, object.score), 9, 9, 0.9, 8, 8, 0.8]),
        14,
        ROWS,
      ),
    ),
  }),
  'yolov8-segment': (objects) => ({
    output0: transposed(
      table(
        objects.map((object) => [...centred(object, 0), ...shares(object.kind, object.score), 0.7, 0.9, -2, 3, 1]),
        13,
        ROWS,
      ),
    ),
    output1: MASKS,
  }),
  'yolov5-segment': (objects) => ({
    output: table(
      objects.map((object) => [...centred(object, 0), 1, ...shares(object.kind, object.score), 0.7, 0.9, -2, 3, 1]),
      14,
      ROWS * 3,
    ),
    output1: MASKS,
  }),
  'boxes-pose': (objects) => ({
    output0: table(
      objects.map(({ x, y, w, h, score, kind }) => [x, y, x + w, y + h, score, kind, 9, 9, 0.9, 8, 8, 0.8]),
      12,
      300,
    ),
  }),
  'boxes-segment': (objects) => ({
    output0: table(
      objects.map(({ x, y, w, h, score, kind }) => [x, y, x + w, y + h, score, kind, 0.7, 0.9, -2, 3, 1]),
      11,
      300,
    ),
    output1: MASKS,
  }),
  'ultralytics-rtdetr': (objects) => ({
    output0: table(
      objects.map((object) => [...partsOf(object), object.score, object.kind]),
      6,
      300,
    ),
  }),
  'ultralytics-rtdetr-scores': (objects) => ({
    output0: table(
      objects.map((object) => [...partsOf(object), ...shares(object.kind, object.score)]),
      8,
      300,
    ),
  }),
  'd-fine': (objects) => ({
    labels: column(objects.map(({ kind }) => kind)),
    boxes: table(
      objects.map(({ x, y, w, h }) => [x, y, x + w, y + h]),
      4,
      100,
    ),
    scores: column(objects.map(({ score }) => score)),
  }),
  mmdet: (objects) => ({
    dets: table(
      objects.map(({ x, y, w, h, score }) => [x, y, x + w, y + h, score]),
      5,
      100,
    ),
    labels: column(objects.map(({ kind }) => kind)),
  }),
  'rf-detr': (objects) => ({
    dets: parts(objects),
    labels: table(
      Array.from({ length: 100 }, (_, row) => [
        ...[0, 1, 2, 3].map((kind) => (kind === objects[row]?.kind ? logit(objects[row].score) : -9)),
        // RF-DETR's background class.
        2,
      ]),
      5,
      100,
    ),
  }),
  yolov5: (objects) => ({
    output: table(
      objects.map((object) => [...centred(object, 0), 1, ...shares(object.kind, object.score)]),
      9,
      ROWS * 3,
    ),
  }),
  yolox: (objects) => ({
    output: table(
      objects.map((object, row) => {
        const { x, y, stride } = GRID[row] ?? { x: 0, y: 0, stride: 1 };
        const [cx = 0, cy = 0, w = 0, h = 0] = centred(object, row);
        return [
          cx / stride - x,
          cy / stride - y,
          Math.log(w / stride),
          Math.log(h / stride),
          object.score,
          ...shares(object.kind, 1),
        ];
      }),
      9,
      ROWS,
    ),
  }),
  boxes: (objects) => ({
    output0: table(
      objects.map(({ x, y, w, h, score, kind }) => [x, y, x + w, y + h, score, kind]),
      6,
      300,
    ),
  }),
  end2end: (objects) => ({
    num_dets: floatTensor(Float32Array.of(objects.length), [1]),
    det_boxes: table(
      objects.map(({ x, y, w, h }) => [x, y, x + w, y + h]),
      4,
      100,
    ),
    det_scores: floatTensor(
      Float32Array.from({ length: 100 }, (_, index) => objects[index]?.score ?? 0.9),
      [100],
    ),
    det_classes: floatTensor(
      Float32Array.from({ length: 100 }, (_, index) => objects[index]?.kind ?? 0),
      [100],
    ),
  }),
  ssd: (objects) => ({
    raw_detection_scores: column([]),
    num_detections: floatTensor(Float32Array.of(objects.length), []),
    'detection_boxes:0': table(
      objects.map(({ x, y, w, h }) => [
        ...[y / SHAPE.height, x / SHAPE.width],
        ...[(y + h) / SHAPE.height, (x + w) / SHAPE.width],
      ]),
      4,
      100,
    ),
    detection_scores: column(objects.map(({ score }) => score)),
    detection_classes: column(objects.map(({ kind }) => kind + 1)),
  }),
  torchvision: (objects) => ({
    boxes: table(
      objects.map(({ x, y, w, h }) => [x, y, x + w, y + h]),
      4,
      100,
    ),
    labels: column(objects.map(({ kind }) => kind + 1)),
    scores: column(objects.map(({ score }) => score)),
  }),
  detr: (objects) => ({
    logits: table(
      Array.from({ length: 100 }, (_, row) => {
        const object = objects[row];
        if (object === undefined) return [-9, -9, -9, -9, 9];
        // The softmax of these is the score for the class and the rest for background.
        return [
          ...[0, 1, 2, 3].map((kind) => (kind === object.kind ? Math.log(object.score) : -99)),
          Math.log(1 - object.score),
        ];
      }),
      5,
      100,
    ),
    pred_boxes: parts(objects),
  }),
  'rt-detr': (objects) => ({
    logits: table(
      Array.from({ length: 100 }, (_, row) =>
        [0, 1, 2, 3].map((kind) => (kind === objects[row]?.kind ? logit(objects[row].score) : -9)),
      ),
      4,
      100,
    ),
    pred_boxes: parts(objects),
  }),
};

function column(values: number[]): FloatTensor {
  return floatTensor(
    Float32Array.from({ length: 100 }, (_, index) => values[index] ?? 0),
    [100],
  );
}

function parts(objects: FoundObject[]): FloatTensor {
  return table(objects.map(partsOf), 4, 100);
}

function partsOf(object: FoundObject): number[] {
  const { width, height } = SHAPE;
  const [x = 0, y = 0, w = 0, h = 0] = centred(object, 0);
  return [x / width, y / height, w / width, h / height];
}

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

describe('a network with meaningless scores', () => {
  it('has only its surest boxes compared', () => {
    // Cells of four classes, none of which overlaps another.
    const everywhere = [0, 1, 2, 3].flatMap((kind) =>
      GRID.map(({ x, y, stride }, row) => ({
        ...{ x: x * stride, y: y * stride, w: stride, h: stride, kind },
        score: 0.3 + (row % 50) / 100,
      })),
    );
    const rows = everywhere.map((object) => [...centred(object, 0), ...shares(object.kind, object.score)]);
    const found = decodeObjects('yolov8', { output0: transposed(table(rows, 8, 4 * ROWS)) }, SHAPE, 0.2);
    expect(4 * ROWS).toBeGreaterThan(MAX_COMPARED);
    expect(found).toHaveLength(MAX_COMPARED);
    expect(found.at(-1)?.score).toBeGreaterThan(0.35);
  });
});

describe('the surest boxes of many', () => {
  const some = fc.oneof(
    // Few distinct values, so that there are many ties.
    fc.integer({ min: 0, max: 3 }).map((step) => () => step / 4),
    fc.integer({ min: 1, max: 9 }).map((levels) => (at: number) => ((at * 7919) % levels) / levels),
    fc.constant((at: number) => at / 1e6),
    fc.constant((at: number) => 1 - at / 1e6),
    fc.constant((at: number) => (at % 3 === 0 ? NaN : ((at * 48271) % 65537) / 65537)),
  );
  const count = fc.oneof(fc.nat(9), fc.integer({ min: MAX_COMPARED - 1, max: 12 * MAX_COMPARED }));

  it('equal the start of a full sort, in the same order', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(some, count), { minLength: 1, maxLength: 3 }), (parts) => {
        const scores = parts.flatMap(([scoreOf, length]) => Array.from({ length }, (_, at) => scoreOf(at)));
        const boxes = new SurestBoxes(0.2);
        for (const [place, score] of scores.entries()) boxes.offer(score, place);
        let made = 0;
        const found = boxes.read((place, score) => {
          made++;
          return { kind: place, score, x: 0, y: 0, w: 1, h: 1 };
        });
        const all = scores.map((score, place): [number, number] => [place, score]).filter(([, score]) => score >= 0.2);
        const surest = all.length <= MAX_COMPARED ? all : all.sort(([, a], [, b]) => b - a).slice(0, MAX_COMPARED);
        expect(found.map(({ kind, score }) => [kind, score])).toEqual(surest);
        expect(made).toBe(surest.length);
      }),
      { numRuns: 40 },
    );
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
