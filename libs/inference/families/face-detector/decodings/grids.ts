import { elementAt } from '@adit/contracts';
import type { FloatTensor } from '../../../tensor.js';
import {
  boxAround,
  boxOfCorners,
  outputOf,
  unlike,
  type Decoding,
  type DetectorShape,
  type Outputs,
} from '../../detector/decodings/decoding.js';
import { SurestBoxes } from '../../detector/decodings/surest-boxes.js';

const STRIDES = [8, 16, 32];
/** Overlap limits of each maker's own code. */
const SCRFD_OVERLAP = 0.4;
const YUNET_OVERLAP = 0.3;

/** Place of a grid, given by its corner in pixels. */
interface Place {
  x: number;
  y: number;
}

/**
 * SCRFD (InsightFace): scores at three strides, and distances from the place's corner to the four sides in strides; one
 * or two anchors per place. Outputs are told apart by their columns and rows, since their names are numbers.
 */
export const scrfd: Decoding = {
  maxOverlap: SCRFD_OVERLAP,
  decode(outputs, shape, minScore) {
    const scores = byLength(outputs, 1);
    const boxes = byLength(outputs, 4);
    const found = new SurestBoxes(minScore);
    const grids = STRIDES.map((stride, level) => {
      const places = placesOf(shape, stride);
      const [score, box] = [scores[level], boxes[level]];
      const anchors = (score?.data.length ?? 0) / places.length;
      if (score === undefined || box === undefined || (anchors !== 1 && anchors !== 2))
        throw unlike(score ?? anyOf(outputs), `one or two for each of ${places.length} places at the stride ${stride}`);
      if (box.data.length !== 4 * score.data.length) throw unlike(box, `[${score.data.length}, 4]`);
      offerGrid(found, score.data, level);
      return { stride, places, anchors, box: box.data };
    });
    return found.read((numbered, sure) => {
      const { index, level } = inGrid(numbered);
      const { stride, places, anchors, box } = elementAt(grids, level);
      const { x, y } = places[Math.floor(index / anchors)] ?? { x: 0, y: 0 };
      const [left = 0, top = 0, right = 0, bottom = 0] = box.subarray(4 * index, 4 * index + 4);
      const corners = boxOfCorners(x - left * stride, y - top * stride, x + right * stride, y + bottom * stride);
      return { kind: 0, score: sure, ...corners };
    });
  },
};

/** YuNet (OpenCV): cls and obj at three strides, whose geometric mean is the score, and a box around the place. */
export const yunet: Decoding = {
  maxOverlap: YUNET_OVERLAP,
  decode(outputs, shape, minScore) {
    const found = new SurestBoxes(minScore);
    const grids = STRIDES.map((stride, level) => {
      const places = placesOf(shape, stride);
      const [classes, objects, boxes] = ['cls', 'obj', 'bbox'].map((name) => outputOf(outputs, `${name}_${stride}`));
      if (classes?.data.length !== places.length || objects?.data.length !== places.length)
        throw unlike(classes ?? anyOf(outputs), `[${places.length}, 1]`);
      if (boxes?.data.length !== 4 * places.length) throw unlike(boxes ?? anyOf(outputs), `[${places.length}, 4]`);
      const scores = classes.data.map((share, index) => Math.sqrt(within(share) * within(objects.data[index] ?? 0)));
      offerGrid(found, scores, level);
      return { stride, places, boxes: boxes.data };
    });
    return found.read((numbered, score) => {
      const { index, level } = inGrid(numbered);
      const { stride, places, boxes } = elementAt(grids, level);
      const { x, y } = places[index] ?? { x: 0, y: 0 };
      const [dx = 0, dy = 0, w = 0, h = 0] = boxes.subarray(4 * index, 4 * index + 4);
      const box = boxAround(x + dx * stride, y + dy * stride, Math.exp(w) * stride, Math.exp(h) * stride);
      return { kind: 0, score, ...box };
    });
  },
};

/** Returns the outputs of that many columns, the longest first, which is that of the finest grid. */
function byLength(outputs: Outputs, columns: number): FloatTensor[] {
  return Object.values(outputs)
    .filter(({ dims }) => dims.at(-1) === columns)
    .sort((a, b) => b.data.length - a.data.length);
}

/** Returns the corners of a grid's places, row by row. */
export function placesOf({ width, height }: DetectorShape, stride: number): Place[] {
  const columns = Math.ceil(width / stride);
  const rows = Math.ceil(height / stride);
  return Array.from({ length: columns * rows }, (_, place) => ({
    x: (place % columns) * stride,
    y: Math.floor(place / columns) * stride,
  }));
}

/** Numbers boxes by their index in a grid and by the grid. */
function offerGrid(found: SurestBoxes, scores: Float32Array, level: number): void {
  for (let index = 0; index < scores.length; index++) found.offer(scores[index] ?? 0, index * STRIDES.length + level);
}

function inGrid(numbered: number): { index: number; level: number } {
  return { index: Math.floor(numbered / STRIDES.length), level: numbered % STRIDES.length };
}

function anyOf(outputs: Outputs): FloatTensor {
  const [output] = Object.values(outputs);
  if (output === undefined) throw new RangeError('The network has no outputs.');
  return output;
}

function within(share: number): number {
  return Math.min(1, Math.max(0, share));
}
