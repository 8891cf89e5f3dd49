import { floatTensor, type FloatTensor } from '../../../../tensor.js';
import type { FoundObject } from '../decoding.js';
import type { DetectorDecoding } from '../index.js';

export const SHAPE = { width: 320, height: 192, kinds: 4 };

const STRIDES = [8, 16, 32];

export const GRID = STRIDES.flatMap((stride) =>
  Array.from({ length: (SHAPE.width / stride) * (SHAPE.height / stride) }, (_, place) => ({
    x: place % (SHAPE.width / stride),
    y: Math.floor(place / (SHAPE.width / stride)),
    stride,
  })),
);

export const ROWS = 1260;

/** Five masks that a box of a segmentation combines. */
const MASKS = floatTensor(new Float32Array(5 * 6 * 10), [5, 6, 10]);

type Writer = (object: FoundObject, row: number) => number[];

export const centred: Writer = ({ x, y, w, h }) => [x + w / 2, y + h / 2, w, h];

export const shares = (kind: number, score: number): number[] =>
  [0, 1, 2, 3].map((each) => (each === kind ? score : 0));

export const logit = (share: number): number => Math.log(share / (1 - share));

export function table(rows: number[][], columns: number, count: number): FloatTensor {
  const data = new Float32Array(count * columns);
  rows.forEach((row, index) => data.set(row, index * columns));
  return floatTensor(data, [count, columns]);
}

export function transposed({ data, dims }: FloatTensor): FloatTensor {
  const [rows = 0, columns = 0] = dims;
  return floatTensor(
    Float32Array.from(data, (_, at) => data[(at % rows) * columns + Math.floor(at / rows)] ?? 0),
    [columns, rows],
  );
}

/** Writers of outputs for known objects, by row, in the format that each exporter defines. */
export const WRITERS: Record<
  Exclude<DetectorDecoding, 'nanodet'>,
  (objects: FoundObject[]) => Record<string, FloatTensor>
> = {
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
