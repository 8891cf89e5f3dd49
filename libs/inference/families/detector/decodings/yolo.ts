import { elementAt, float32At } from '@adit/contracts';
import type { PixelBox } from '../../../picture/affine.js';
import type { FloatTensor } from '../../../tensor.js';
import {
  boxAround,
  boxOfCorners,
  isKind,
  onlyOutput,
  outputOf,
  unlike,
  type Decoding,
  type DetectorShape,
  type FoundObject,
  type Outputs,
} from './decoding.js';
import { boxesOutput, checkMore, type BoxesOutput, type More } from './more-than-boxes.js';
import { SurestBoxes } from './surest-boxes.js';

/** Overlap limit of each exporter's own prediction. */
const ULTRALYTICS_OVERLAP = 0.7;
const YOLOX_OVERLAP = 0.45;
const STRIDES = [8, 16, 32];

/**
 * YOLOv8, v9, v11 and v12 of Ultralytics, and v5u: an output [4 + classes, cells], with the centre and size of a box in
 * pixels and a score per class for each cell.
 */
export const yolov8 = yolov8With('nothing');
/** The same of Ultralytics' pose and segmentation networks, of which only the boxes are used. */
export const yolov8Pose = yolov8With('points');
export const yolov8Segment = yolov8With('masks');

function yolov8With(more: More): Decoding {
  return {
    maxOverlap: ULTRALYTICS_OVERLAP,
    decode: (outputs, shape, minScore) => decodeCells(boxesOutput(outputs, more), more, shape, minScore),
  };
}

function decodeCells(
  { output, masks }: BoxesOutput,
  more: More,
  { kinds }: DetectorShape,
  minScore: number,
): FoundObject[] {
  const { data, dims } = output;
  const [rows = 0, cells = 0] = dims;
  checkMore(output, rows - 4 - kinds, { more, masks, wanted: `[${4 + kinds}, cells] for ${kinds} labels` });
  const found = new SurestBoxes(minScore);
  // One class per cell, as in its prediction, read row by row in memory order.
  const surest = data.slice(4 * cells, 5 * cells);
  const kindOf = new Uint32Array(cells);
  for (let kind = 1, at = 5 * cells; kind < kinds; kind++) {
    for (let cell = 0; cell < cells; cell++, at++) {
      const score = float32At(data, at);
      if (score <= float32At(surest, cell)) continue;
      surest[cell] = score;
      kindOf[cell] = kind;
    }
  }
  for (let cell = 0; cell < cells; cell++) found.offer(float32At(surest, cell), (kindOf[cell] ?? 0) * cells + cell);
  return found.read((place, score) => {
    const cell = place % cells;
    const [x = 0, y = 0, w = 0, h = 0] = [0, 1, 2, 3].map((row) => data[row * cells + cell]);
    return { kind: Math.floor(place / cells), score, ...boxAround(x, y, w, h) };
  });
}

/** YOLOv5 and v7: an output [anchors, 5 + classes] of centre, size, objectness, and a share per class. */
export const yolov5 = yolov5With('nothing');
/** The same of segmentation networks, of which only the boxes are used. */
export const yolov5Segment = yolov5With('masks');

function yolov5With(more: More): Decoding {
  return {
    maxOverlap: YOLOX_OVERLAP,
    decode: (outputs, shape, minScore) =>
      rowsWithObjectness(outputs, shape, { minScore, more }, (_, x, y, w, h) => boxAround(x, y, w, h)),
  };
}

/**
 * YOLOX as its own exporter writes it: like YOLOv5, with centre and size relative to the grid: offsets from the cell in
 * strides, and logarithms of sizes in strides.
 */
export const yolox: Decoding = {
  maxOverlap: YOLOX_OVERLAP,
  decode(outputs, shape, minScore) {
    const cells = gridOf(shape);
    const rows = { minScore, more: 'nothing', mostRows: cells.length } as const;
    return rowsWithObjectness(outputs, shape, rows, (row, x, y, w, h) => {
      const cell = elementAt(cells, row);
      const { stride } = cell;
      return boxAround((x + cell.x) * stride, (y + cell.y) * stride, Math.exp(w) * stride, Math.exp(h) * stride);
    });
  },
};

/** YOLOv10 and exports with suppression in the graph: an output [boxes, 6] of corners in pixels, score and class. */
export const boxes = boxesWith('nothing');
/** The same of pose and segmentation networks, of which only the boxes are used. */
export const boxesPose = boxesWith('points');
export const boxesSegment = boxesWith('masks');

function boxesWith(more: More): Decoding {
  return {
    maxOverlap: null,
    decode: (outputs, { kinds }, minScore) => {
      const { output, masks } = boxesOutput(outputs, more);
      const columns = output.dims[1] ?? 0;
      checkMore(output, columns - 6, { more, masks, wanted: '[boxes, 6]' });
      return numberedRows(output, kinds, minScore, boxOfCorners);
    },
  };
}

/**
 * RT-DETR of Ultralytics: an output [queries, 6] like that of YOLOv10, with a box's centre and size as fractions of the
 * picture. Before version 8.4 it has a score per class instead, [queries, 4 + classes].
 */
export const ultralyticsRtDetr: Decoding = {
  maxOverlap: null,
  decode: (outputs, { width, height, kinds }, minScore) => {
    const output = onlyOutput(outputs);
    if (output.dims.length !== 2 || output.dims[1] !== 6) throw unlike(output, '[queries, 6]');
    return numberedRows(output, kinds, minScore, partsOf(width, height));
  },
};

export const ultralyticsRtDetrScores: Decoding = {
  maxOverlap: null,
  decode: (outputs, { width, height, kinds }, minScore) => {
    const output = onlyOutput(outputs);
    const { data, dims } = output;
    const columns = 4 + kinds;
    if (dims.length !== 2 || dims[1] !== columns) throw unlike(output, `[queries, ${columns}] for ${kinds} labels`);
    const found = new SurestBoxes(minScore);
    for (let at = 0; at < data.length; at += columns) {
      const kind = surestOf(data, at + 4, kinds);
      found.offer(float32At(data, at + 4 + kind), at + kind);
    }
    const boxOf = partsOf(width, height);
    return found.read((place, score) => {
      const at = place - (place % columns);
      const [x = 0, y = 0, w = 0, h = 0] = data.subarray(at, at + 4);
      return { kind: place % columns, score, ...boxOf(x, y, w, h) };
    });
  },
};

/** Returns the first class with the highest of `kinds` values. */
function surestOf(data: Float32Array, from: number, kinds: number): number {
  let best = 0;
  for (let kind = 1; kind < kinds; kind++) if (float32At(data, from + kind) > float32At(data, from + best)) best = kind;
  return best;
}

/** Converts centre and size in fractions of the picture to a box in pixels. */
function partsOf(width: number, height: number): typeof boxAround {
  return (x, y, w, h) => boxAround(x * width, y * height, w * width, h * height);
}

/** Reads rows of a box, a score and a class number. */
function numberedRows(
  { data, dims }: FloatTensor,
  kinds: number,
  minScore: number,
  boxOf: (a: number, b: number, c: number, d: number) => PixelBox,
): FoundObject[] {
  const columns = dims[1] ?? 0;
  const found = new SurestBoxes(minScore);
  for (let at = 0; at < data.length; at += columns)
    if (isKind(data[at + 5] ?? -1, kinds)) found.offer(data[at + 4] ?? 0, at);
  return found.read((at, score) => {
    const [a = 0, b = 0, c = 0, d = 0, , kind = -1] = data.subarray(at, at + 6);
    return { kind, score, ...boxOf(a, b, c, d) };
  });
}

/**
 * Exports with TensorRT's suppression: num_dets, det_boxes (corners in pixels), det_scores and det_classes. MMYOLO and
 * YOLO-NAS return the same under other names.
 */
export const end2end: Decoding = {
  maxOverlap: null,
  decode(outputs, { kinds }, minScore) {
    const count = outputOf(outputs, 'num_dets', 'num_predictions').data[0] ?? 0;
    const corners = outputOf(outputs, 'det_boxes', 'boxes', 'pred_boxes');
    const scores = outputOf(outputs, 'det_scores', 'scores', 'pred_scores').data;
    const numbers = outputOf(outputs, 'det_classes', 'labels', 'pred_classes');
    const classes = numbers.data;
    if (corners.data.length !== scores.length * 4) throw unlike(corners, `[${scores.length}, 4]`);
    if (classes.length !== scores.length) throw unlike(numbers, `[${scores.length}]`);
    const found = new SurestBoxes(minScore);
    const counted = scores.subarray(0, count);
    for (let index = 0; index < counted.length; index++)
      if (isKind(classes[index] ?? -1, kinds)) found.offer(counted[index] ?? 0, index);
    return found.read((index, score) => {
      const [left = 0, top = 0, right = 0, bottom = 0] = corners.data.subarray(index * 4, index * 4 + 4);
      return { kind: classes[index] ?? -1, score, ...boxOfCorners(left, top, right, bottom) };
    });
  },
};

/** Throws RangeError for more than `mostRows` rows. */
function rowsWithObjectness(
  outputs: Outputs,
  { width, height, kinds }: DetectorShape,
  { minScore, more, mostRows = Infinity }: { minScore: number; more: More; mostRows?: number },
  boxOf: (row: number, x: number, y: number, w: number, h: number) => PixelBox,
): FoundObject[] {
  const { output, masks } = boxesOutput(outputs, more);
  const { data } = output;
  const columns = output.dims[1] ?? 0;
  checkMore(output, columns - 5 - kinds, { more, masks, wanted: `[rows, ${5 + kinds}] for ${kinds} labels` });
  const found = new SurestBoxes(minScore);
  for (let row = 0, at = 0; at < data.length; row++, at += columns) {
    const there = data[at + 4] ?? 0;
    if (!(there >= minScore)) continue;
    const kind = surestOf(data, at + 5, kinds);
    const score = there * float32At(data, at + 5 + kind);
    if (score >= minScore && row >= mostRows) throw unlike(output, `[${mostRows}, …] for ${width} × ${height} pixels`);
    found.offer(score, row * kinds + kind);
  }
  return found.read((place, score) => {
    const row = Math.floor(place / kinds);
    const [x = 0, y = 0, w = 0, h = 0] = data.subarray(row * columns, row * columns + 4);
    return { kind: place % kinds, score, ...boxOf(row, x, y, w, h) };
  });
}

/** Returns the cells of the three grids, finest first, row by row. */
function gridOf({ width, height }: DetectorShape): { x: number; y: number; stride: number }[] {
  return STRIDES.flatMap((stride) => {
    const columns = Math.floor(width / stride);
    const rows = Math.floor(height / stride);
    return Array.from({ length: rows * columns }, (_, place) => ({
      x: place % columns,
      y: Math.floor(place / columns),
      stride,
    }));
  });
}
