import { float32At } from '@adit/contracts';
import type { FloatTensor } from '../../../tensor.js';
import {
  boxAround,
  outputOf,
  unlike,
  type Decoding,
  type DetectorShape,
  type FoundObject,
  type Outputs,
} from './decoding.js';
import { SurestBoxes } from './surest-boxes.js';

/**
 * DETR (Carion et al. 2020) as Hugging Face exports it: each query has logits of the classes and of background, and a
 * box's centre and size as fractions of the picture. A query counts with its surest class.
 */
export const detr: Decoding = {
  maxOverlap: null,
  decode: (outputs, shape, minScore) => {
    const read = queriesOf(outputs, shape, shape.kinds + 1);
    const found = new SurestBoxes(minScore);
    const { data } = read.logits;
    for (let row = 0, from = 0; row < read.rows; row++, from += read.columns) {
      const kind = surestKind(data, from, shape.kinds);
      // Background is the last class.
      if (kind !== null) found.offer(shareOf(data, from, kind, shape.kinds, minScore), row * shape.kinds + kind);
    }
    return found.read(read.objectAt);
  },
};

/**
 * Returns the softmax share of one class among all and background; 0 as soon as it is below `minScore`, since further
 * terms only lower it.
 */
function shareOf(logits: Float32Array, from: number, kind: number, kinds: number, minScore: number): number {
  const surest = float32At(logits, from + kind);
  const highest = Math.max(surest, float32At(logits, from + kinds));
  const share = Math.exp(surest - highest);
  let total = 0;
  for (let at = from; at <= from + kinds; at++) {
    total += Math.exp(float32At(logits, at) - highest);
    if (share / total < minScore) return 0;
  }
  return share / total;
}

/** RT-DETR and its relatives: as DETR, with a sigmoid per class and no background. */
export const rtDetr: Decoding = {
  maxOverlap: null,
  decode: (outputs, shape, minScore) => surestPairs(queriesOf(outputs, shape, shape.kinds), shape, minScore),
};

/**
 * RF-DETR (Roboflow): `dets` and `labels` instead of pred_boxes and logits, a sigmoid per class, and a background class
 * at the end, which is skipped where it has no label.
 */
export const rfDetr: Decoding = {
  maxOverlap: null,
  decode: (outputs, shape, minScore) => {
    const logits = outputOf(outputs, 'labels');
    const columns = logits.dims[1] === shape.kinds ? shape.kinds : shape.kinds + 1;
    const named = { logits, pred_boxes: outputOf(outputs, 'dets') };
    return surestPairs(queriesOf(named, shape, columns), shape, minScore);
  },
};

/**
 * Returns the surest pairs of a query and a class, as many as there are queries (post_process_object_detection of
 * RT-DETR, postprocess.py of RF-DETR). One query may yield two classes.
 */
function surestPairs(
  { logits, rows, columns, objectAt }: Queries,
  { kinds }: DetectorShape,
  minScore: number,
): FoundObject[] {
  const found = new SurestBoxes(minScore);
  for (let row = 0, from = 0; row < rows; row++, from += columns) {
    for (let kind = 0; kind < kinds; kind++)
      found.offer(1 / (1 + Math.exp(-float32At(logits.data, from + kind))), row * kinds + kind);
  }
  return found
    .read(objectAt)
    .sort((a, b) => b.score - a.score)
    .slice(0, rows);
}

interface Queries {
  logits: FloatTensor;
  rows: number;
  columns: number;
  /** Returns the box at a position, `row * kinds + kind`. */
  objectAt(place: number, score: number): FoundObject;
}

/** Throws RangeError for outputs without that many columns, or without a box per row. */
function queriesOf(outputs: Outputs, { width, height, kinds }: DetectorShape, columns: number): Queries {
  const logits = outputOf(outputs, 'logits', 'pred_logits');
  const places = outputOf(outputs, 'pred_boxes');
  const [rows = 0] = logits.dims;
  if (logits.dims.length !== 2 || logits.dims[1] !== columns) throw unlike(logits, `[queries, ${columns}]`);
  if (places.data.length !== rows * 4) throw unlike(places, `[${rows}, 4]`);
  const objectAt = (place: number, score: number): FoundObject => {
    const at = Math.floor(place / kinds) * 4;
    const [x = 0, y = 0, w = 0, h = 0] = places.data.subarray(at, at + 4);
    const box = boxAround(x, y, w, h);
    return {
      ...{ kind: place % kinds, score },
      ...{ x: box.x * width, y: box.y * height, w: box.w * width, h: box.h * height },
    };
  };
  return { logits, rows, columns, objectAt };
}

/** Returns the first of the highest logits; null where one is NaN. */
function surestKind(logits: Float32Array, from: number, kinds: number): number | null {
  let [best, highest] = [0, -Infinity];
  for (let kind = 0; kind < kinds; kind++) {
    const logit = float32At(logits, from + kind);
    if (Number.isNaN(logit)) return null;
    if (logit > highest) [best, highest] = [kind, logit];
  }
  return best;
}
