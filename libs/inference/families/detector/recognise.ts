import type { Finding } from '../family.js';
import { axesBehindBatch, cells, outputNamed, type Shape } from '../graph.js';
import { labelledBoxes } from './labelled-boxes.js';
import { ultralytics } from './ultralytics.js';

/**
 * Strides of the grids of anchor-free and anchor-based detectors: the usual ones, and those for larger or smaller
 * objects.
 */
const STRIDES = [8, 16, 32];
const STRIDES_OF_FOUR = [8, 16, 32, 64];
const ALL_STRIDES = [STRIDES, STRIDES_OF_FOUR, [4, 8, 16, 32]];
/** Anchors per cell in YOLOv5 and v7. */
const ANCHORS = 3;
/** Numbers per cell for four distances as distributions of 8 bins, in NanoDet and PicoDet. */
const DISTRIBUTION = 4 * 8;
/** The same for the published numbers of bins: 8, 11, 16 or 17. */
const DISTANCES = new Set([8, 11, 16, 17].map((steps) => 4 * steps));
/** Largest offset from a cell in strides; larger values are pixels. */
const MAX_OFFSET = 32;

/** Recognises object detectors by the layout of their outputs. */
export function recogniseDetector(shape: Shape): Finding | null {
  if (shape.picture === null || shape.picture.channels !== 3) return null;
  return (
    ultralytics(shape) ?? labelledBoxes(shape) ?? transformer(shape) ?? oneOutput(shape) ?? outputsOfStrides(shape)
  );
}

/** DETR and its relatives: a class and a box per query. */
function transformer(shape: Shape): Finding | null {
  const boxes = axesBehindBatch(outputNamed(shape, /^pred_boxes$/), 2);
  const logits = axesBehindBatch(outputNamed(shape, /^(logits|pred_logits)$/), 2);
  // Optimum leaves the four sides of RT-DETR's boxes open.
  const sides = boxes?.[1];
  if (sides === undefined || (sides !== null && sides !== 4) || logits === null) return null;
  const columns = logits[1] ?? null;
  // DETR has a background class and uses softmax; RT-DETR, Deformable DETR and others use a sigmoid.
  const softmax = shape.hints.task === 'DetrForObjectDetection' || columns === (shape.hints.labels?.length ?? NaN) + 1;
  const classes = columns === null ? labelsOf(shape) : softmax ? columns - 1 : columns;
  return found(
    softmax ? 'detr' : 'rt-detr',
    classes,
    `outputs ${softmax ? 'logits with a class for nothing' : 'logits'} and pred_boxes`,
  );
}

/** One output with a row per cell of the grids, or per anchor. */
function oneOutput(shape: Shape): Finding | null {
  const [output] = shape.outline.outputs;
  if (shape.outline.outputs.length !== 1) return null;
  const axes = axesBehindBatch(output, 2);
  if (axes === null) return null;
  const [rows = null, columns = null] = axes;
  const width = shape.picture?.width ?? shape.tried?.width ?? shape.hints.width;
  const height = shape.picture?.height ?? shape.tried?.height ?? shape.hints.height;
  if (width === null || height === null) return byLabels(shape, rows, columns);
  const counts = ALL_STRIDES.map((strides) => cells(width, height, strides));
  const [three = 0, four = 0] = counts;
  const size = `${width} × ${height}`;
  if (columns !== null && counts.includes(columns) && rows !== null && rows > 4) {
    const because = `an output [${rows}, ${columns}]: a column for each of the ${columns} cells of ${size}`;
    return found('yolov8', rows - 4, because);
  }
  if (rows === null || columns === null) return byLabels(shape, rows, columns);
  if (counts.includes(rows / ANCHORS) && columns > 5) {
    const because = `an output [${rows}, ${columns}]: three anchors for each of the ${rows / ANCHORS} cells of ${size}`;
    return found('yolov5', columns - 5, because);
  }
  if (rows === three && columns > 5) {
    const because = `an output [${rows}, ${columns}]: a row for each of the ${three} cells of ${size}`;
    return isInPixels(shape)
      ? found('yolov5', columns - 5, `${because}, with places in pixels`)
      : found('yolox', columns - 5, because);
  }
  if (rows === four && columns > DISTRIBUTION) {
    const because = `an output [${rows}, ${columns}]: a row for each of the ${four} cells of ${size}`;
    return found('nanodet', columns - DISTRIBUTION, because);
  }
  return byLabels(shape, rows, columns);
}

/** Recognises other grids by the number of labels. */
function byLabels(shape: Shape, rows: number | null, columns: number | null): Finding | null {
  const labels = labelsOf(shape);
  if (labels === null || rows === null || columns === null) return null;
  const because = `an output [${rows}, ${columns}] for ${labels} labels`;
  if (rows === 4 + labels && columns > rows) return found('yolov8', labels, because);
  return columns === 5 + labels && rows > columns ? found('yolov5', labels, because) : null;
}

/** A plain YOLOX export returns offsets on the grid; with its decoding, and YOLOv6, pixels of the picture. */
function isInPixels({ tried }: Shape): boolean {
  return (tried?.answers ?? []).some((answer) => {
    const [{ data, dims } = { data: new Float32Array(0), dims: [] }] = Object.values(answer);
    const columns = dims[1] ?? 1;
    for (let at = 0; at < data.length; at += columns) if ((data[at] ?? 0) > MAX_OFFSET) return true;
    return false;
  });
}

/** NanoDet and PicoDet with separate heads: for each stride one output of classes and one of distances. */
function outputsOfStrides({ outline: { outputs }, picture, tried }: Shape): Finding | null {
  const width = picture?.width ?? tried?.width ?? null;
  const height = picture?.height ?? tried?.height ?? null;
  if (width === null || height === null) return null;
  const shapes = outputs.map((output) => axesBehindBatch(output, 2));
  let classes: number | null = null;
  const strides = outputs.length === 2 * STRIDES_OF_FOUR.length ? STRIDES_OF_FOUR : STRIDES;
  for (const stride of strides) {
    const columns = shapes.flatMap((axes) => (axes?.[0] === cells(width, height, [stride]) ? [axes[1] ?? 0] : []));
    const [first = 0, second = 0] = columns;
    const scores = DISTANCES.has(second) ? first : second;
    const isDistinct = columns.length === 2 && DISTANCES.has(first) !== DISTANCES.has(second);
    if (!isDistinct || (classes !== null && classes !== scores)) return null;
    classes = scores;
  }
  return found('nanodet', classes, `for each of ${strides.length} strides one output of classes and one of distances`);
}

function found(decoding: string, classes: number | null, because: string): Finding {
  return { decoding, classes, dimensions: null, because };
}

function labelsOf({ hints }: Shape): number | null {
  return hints.labels?.length ?? null;
}
