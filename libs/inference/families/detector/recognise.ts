import type { Finding } from '../family.js';
import { axesBehindBatch, cells, outputNamed, type Shape } from '../graph.js';

/** Strides of the grids that detectors without anchors, and with, predict on. */
const STRIDES = [8, 16, 32];
const STRIDES_OF_FOUR = [8, 16, 32, 64];
/** Anchors of a cell in YOLOv5 and v7. */
const ANCHORS = 3;
/** Room for a distance of a box's side as a distribution, in NanoDet and PicoDet: 8 steps. */
const DISTRIBUTION = 4 * 8;
/** Numbers for four distances as distributions over 8, 11, 16 or 17 steps, those that have been published. */
const DISTANCES = new Set([8, 11, 16, 17].map((steps) => 4 * steps));

/** Detectors of things, by how their outputs are laid out. */
export function recogniseDetector(shape: Shape): Finding | null {
  if (shape.picture === null || shape.picture.channels !== 3) return null;
  return (
    suppressed(shape) ??
    tensorflow(shape) ??
    torchvision(shape) ??
    transformer(shape) ??
    oneOutput(shape) ??
    outputsOfStrides(shape)
  );
}

/** Boxes with the non-maximum suppression inside: [300, 6] as x1, y1, x2, y2, score, class; or in four outputs. */
function suppressed(shape: Shape): Finding | null {
  const { outputs } = shape.outline;
  if (outputs.length === 1) {
    const [rows, columns] = axesBehindBatch(outputs[0], 2) ?? [];
    if (
      columns === 6 &&
      rows !== undefined &&
      (rows === null || rows <= 1000) &&
      shape.hints.exporter === 'Ultralytics'
    ) {
      return found('boxes', labelsOf(shape), `an output [${rows ?? 'n'}, 6]: corners, score and class of each box`);
    }
  }
  const names = outputs
    .map(({ name }) => name)
    .sort()
    .join(' ');
  if (names === 'det_boxes det_classes det_scores num_dets') {
    return found('end2end', labelsOf(shape), 'outputs num_dets, det_boxes, det_scores and det_classes');
  }
  return null;
}

/** TensorFlow's object detection API. */
function tensorflow(shape: Shape): Finding | null {
  const wanted = [/^detection_boxes/, /^detection_scores/, /^detection_classes/, /^num_detections/];
  if (!wanted.every((pattern) => outputNamed(shape, pattern))) return null;
  return found(
    'ssd',
    labelsOf(shape),
    'outputs detection_boxes, detection_scores, detection_classes and num_detections',
  );
}

/** torchvision's: boxes, labels and scores without a batch, the picture without one too or with a batch of 1. */
function torchvision(shape: Shape): Finding | null {
  const wanted = [/^boxes$/, /^labels$/, /^scores$/];
  if (!wanted.every((pattern) => outputNamed(shape, pattern))) return null;
  return found('torchvision', labelsOf(shape), 'outputs boxes, labels and scores');
}

/** DETR and its kin: a class and a box for each query. */
function transformer(shape: Shape): Finding | null {
  const boxes = axesBehindBatch(outputNamed(shape, /^pred_boxes$/), 2);
  const logits = axesBehindBatch(outputNamed(shape, /^(logits|pred_logits)$/), 2);
  // Optimum leaves the four sides of RT-DETR's boxes open.
  const sides = boxes?.[1];
  if (sides === undefined || (sides !== null && sides !== 4) || logits === null) return null;
  const columns = logits[1] ?? null;
  // DETR has a class for "nothing" and takes the softmax; RT-DETR, Deformable DETR and others take a sigmoid.
  const softmax = shape.hints.task === 'DetrForObjectDetection' || columns === (shape.hints.labels?.length ?? NaN) + 1;
  const classes = columns === null ? labelsOf(shape) : softmax ? columns - 1 : columns;
  return found(
    softmax ? 'detr' : 'rt-detr',
    classes,
    `outputs ${softmax ? 'logits with a class for nothing' : 'logits'} and pred_boxes`,
  );
}

/** One output with a row for each cell of the grids, or for each anchor of one. */
function oneOutput(shape: Shape): Finding | null {
  const [output] = shape.outline.outputs;
  if (shape.outline.outputs.length !== 1) return null;
  const axes = axesBehindBatch(output, 2);
  if (axes === null) return null;
  const [rows = null, columns = null] = axes;
  const width = shape.picture?.width ?? shape.hints.width;
  const height = shape.picture?.height ?? shape.hints.height;
  if (shape.hints.exporter === 'Ultralytics' && shape.hints.task === 'detect') {
    // With open axes the exporter says by the labels alone how many rows there are.
    const classes = rows === null && columns === null ? labelsOf(shape) : (rows ?? 0) - 4;
    if (classes !== null && classes > 0) {
      return found('yolov8', classes, `an output [${classes + 4}, ${columns ?? 'cells'}] of Ultralytics`);
    }
  }
  if (width === null || height === null) return null;
  const three = cells(width, height, STRIDES);
  const four = cells(width, height, STRIDES_OF_FOUR);
  const size = `${width} × ${height}`;
  if (columns === three && rows !== null && rows > 4) {
    return found(
      'yolov8',
      rows - 4,
      `an output [${rows}, ${columns}]: a column for each of the ${three} cells of ${size}`,
    );
  }
  if (rows === ANCHORS * three && columns !== null && columns > 5) {
    return found(
      'yolov5',
      columns - 5,
      `an output [${rows}, ${columns}]: three anchors for each of the ${three} cells of ${size}`,
    );
  }
  if (rows === three && columns !== null && columns > 5) {
    return found(
      'yolox',
      columns - 5,
      `an output [${rows}, ${columns}]: a row for each of the ${three} cells of ${size}`,
    );
  }
  if (rows === four && columns !== null && columns > DISTRIBUTION) {
    return found(
      'nanodet',
      columns - DISTRIBUTION,
      `an output [${rows}, ${columns}]: a row for each of the ${four} cells of ${size}`,
    );
  }
  return null;
}

/** NanoDet and PicoDet with their heads apart: for each stride one output of classes and one of distances. */
function outputsOfStrides({ outline: { outputs }, picture }: Shape): Finding | null {
  if (picture?.width == null || picture.height === null) return null;
  const shapes = outputs.map((output) => axesBehindBatch(output, 2));
  let classes: number | null = null;
  const strides = outputs.length === 2 * STRIDES_OF_FOUR.length ? STRIDES_OF_FOUR : STRIDES;
  for (const stride of strides) {
    const columns = shapes.flatMap((axes) =>
      axes?.[0] === cells(picture.width ?? 0, picture.height ?? 0, [stride]) ? [axes[1] ?? 0] : [],
    );
    const [first = 0, second = 0] = columns;
    const scores = DISTANCES.has(second) ? first : second;
    const told = columns.length === 2 && DISTANCES.has(first) !== DISTANCES.has(second);
    if (!told || (classes !== null && classes !== scores)) return null;
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
