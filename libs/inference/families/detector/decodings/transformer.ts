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
 * DETR (Carion et al. 2020) as Hugging Face exports it: for each query logits of the classes and of one for nothing, and
 * centre and size of a box as parts of the picture. The surest class of a query counts.
 */
export const detr: Decoding = {
  maxOverlap: null,
  decode: (outputs, shape, minScore) => {
    const read = queriesOf(outputs, shape, shape.kinds + 1);
    const found = new SurestBoxes(minScore);
    const { data } = read.logits;
    for (let row = 0, from = 0; row < read.rows; row++, from += read.columns) {
      const kind = surestKind(data, from, shape.kinds);
      // The class for nothing is the last.
      if (kind !== null) found.offer(shareOf(data, from, kind, shape.kinds, minScore), row * shape.kinds + kind);
    }
    return found.read(read.objectAt);
  },
};

/** The share of one class among all and nothing; 0 where it is below `minScore`, since the rest only takes from it. */
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

/** RT-DETR and others of its kin: as DETR, with a sigmoid for each class and none for nothing. */
export const rtDetr: Decoding = {
  maxOverlap: null,
  decode: (outputs, shape, minScore) => surestPairs(queriesOf(outputs, shape, shape.kinds), shape, minScore),
};

/**
 * RF-DETR (Roboflow): `dets` and `labels` in place of pred_boxes and logits, a sigmoid for each class, and behind the classes a place for
 * nothing, which is passed over where no label is left for it.
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
 * As many pairs of a query and a class as there are queries, the surest of all (post_process_object_detection of RT-DETR, postprocess.py
 * of RF-DETR): one query may say two classes, each for itself.
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
  /** The box of a place, `row * kinds + kind`. */
  objectAt(place: number, score: number): FoundObject;
}

/** Throws RangeError for outputs that are not of so many columns, with a box for each row. */
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

/** The first of the highest logits; null where one is no number. */
function surestKind(logits: Float32Array, from: number, kinds: number): number | null {
  let [best, highest] = [0, -Infinity];
  for (let kind = 0; kind < kinds; kind++) {
    const logit = float32At(logits, from + kind);
    if (Number.isNaN(logit)) return null;
    if (logit > highest) [best, highest] = [kind, logit];
  }
  return best;
}
