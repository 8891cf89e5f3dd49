import {
  boxAround,
  boxOfCorners,
  onlyOutput,
  outputOf,
  unlike,
  type Decoding,
  type DetectorShape,
  type FoundObject,
  type Outputs,
} from './decoding.js';

/** Suppression as each exporter's own prediction does it. */
const ULTRALYTICS_OVERLAP = 0.7;
const YOLOX_OVERLAP = 0.45;
const STRIDES = [8, 16, 32];

/**
 * YOLOv8, v9, v11 and v12 of Ultralytics: an output [4 + classes, cells], for each cell the centre and size of a box in pixels
 * and a score for each class. v5u is the same.
 */
export const yolov8: Decoding = {
  maxOverlap: ULTRALYTICS_OVERLAP,
  decode(outputs, { kinds }, minScore) {
    const output = onlyOutput(outputs);
    const { data, dims } = output;
    const [rows, cells = 0] = dims;
    if (dims.length !== 2 || rows !== 4 + kinds) throw unlike(output, `[${4 + kinds}, cells] for ${kinds} labels`);
    const found: FoundObject[] = [];
    for (let kind = 0; kind < kinds; kind++) {
      // Row by row, as the values lie in memory.
      for (let cell = 0, at = (4 + kind) * cells; cell < cells; cell++, at++) {
        const score = data[at] ?? 0;
        if (!(score >= minScore)) continue;
        const [x = 0, y = 0, w = 0, h = 0] = [0, 1, 2, 3].map((row) => data[row * cells + cell]);
        found.push({ kind, score, ...boxAround(x, y, w, h) });
      }
    }
    return found;
  },
};

/** YOLOv5 and v7: an output [anchors, 5 + classes] of centre, size, whether anything is there, and a share for each class. */
export const yolov5: Decoding = {
  maxOverlap: YOLOX_OVERLAP,
  decode: (outputs, shape, minScore) =>
    rowsWithObjectness(outputs, shape, minScore, (_, x, y, w, h) => boxAround(x, y, w, h)),
};

/**
 * YOLOX as its own exporter writes it: like YOLOv5, but centre and size are still those of the grid: offsets from the cell in
 * strides, and logarithms of sizes in strides.
 */
export const yolox: Decoding = {
  maxOverlap: YOLOX_OVERLAP,
  decode(outputs, shape, minScore) {
    const cells = gridOf(shape);
    return rowsWithObjectness(outputs, shape, minScore, (row, x, y, w, h) => {
      const cell = cells[row];
      if (cell === undefined)
        throw unlike(onlyOutput(outputs), `[${cells.length}, …] for ${shape.width} × ${shape.height} pixels`);
      const { stride } = cell;
      return boxAround((x + cell.x) * stride, (y + cell.y) * stride, Math.exp(w) * stride, Math.exp(h) * stride);
    });
  },
};

/** YOLOv10 and exports with the suppression inside: an output [boxes, 6] of corners in pixels, score and class. */
export const boxes: Decoding = {
  maxOverlap: null,
  decode(outputs, { kinds }, minScore) {
    const output = onlyOutput(outputs);
    const { data, dims } = output;
    if (dims.length !== 2 || dims[1] !== 6) throw unlike(output, '[boxes, 6]');
    const found: FoundObject[] = [];
    for (let at = 0; at < data.length; at += 6) {
      const [left = 0, top = 0, right = 0, bottom = 0, score = 0, kind = -1] = data.subarray(at, at + 6);
      if (score >= minScore && isKind(kind, kinds))
        found.push({ kind, score, ...boxOfCorners(left, top, right, bottom) });
    }
    return found;
  },
};

/** Exports for TensorRT's suppression: num_dets, det_boxes (corners in pixels), det_scores and det_classes. */
export const end2end: Decoding = {
  maxOverlap: null,
  decode(outputs, { kinds }, minScore) {
    const count = outputOf(outputs, 'num_dets').data[0] ?? 0;
    const corners = outputOf(outputs, 'det_boxes');
    const scores = outputOf(outputs, 'det_scores').data;
    const classes = outputOf(outputs, 'det_classes').data;
    if (corners.data.length !== scores.length * 4) throw unlike(corners, `[${scores.length}, 4]`);
    if (classes.length !== scores.length) throw unlike(outputOf(outputs, 'det_classes'), `[${scores.length}]`);
    const found: FoundObject[] = [];
    for (const [index, score] of scores.subarray(0, count).entries()) {
      const [left = 0, top = 0, right = 0, bottom = 0] = corners.data.subarray(index * 4, index * 4 + 4);
      const kind = classes[index] ?? -1;
      if (score >= minScore && isKind(kind, kinds))
        found.push({ kind, score, ...boxOfCorners(left, top, right, bottom) });
    }
    return found;
  },
};

function rowsWithObjectness(
  outputs: Outputs,
  { kinds }: DetectorShape,
  minScore: number,
  boxOf: (row: number, x: number, y: number, w: number, h: number) => { x: number; y: number; w: number; h: number },
): FoundObject[] {
  const output = onlyOutput(outputs);
  const { data, dims } = output;
  const columns = 5 + kinds;
  if (dims.length !== 2 || dims[1] !== columns) throw unlike(output, `[rows, ${columns}] for ${kinds} labels`);
  const found: FoundObject[] = [];
  for (let row = 0, at = 0; at < data.length; row++, at += columns) {
    const there = data[at + 4] ?? 0;
    if (!(there >= minScore)) continue;
    for (let kind = 0; kind < kinds; kind++) {
      const score = there * (data[at + 5 + kind] ?? 0);
      if (!(score >= minScore)) continue;
      const [x = 0, y = 0, w = 0, h = 0] = data.subarray(at, at + 4);
      found.push({ kind, score, ...boxOf(row, x, y, w, h) });
    }
  }
  return found;
}

/** Cells of the three grids, finest first, row by row. */
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

function isKind(kind: number, kinds: number): boolean {
  return Number.isInteger(kind) && kind >= 0 && kind < kinds;
}
