import { float32At } from '@adit/contracts';
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
  decode: (outputs, shape, minScore) =>
    queries(outputs, shape, shape.kinds + 1, minScore, (logits, from, surest) => {
      // The last is nothing.
      const nothing = from + shape.kinds;
      const highest = Math.max(surest, float32At(logits, nothing));
      const share = Math.exp(surest - highest);
      let total = 0;
      for (let at = from; at <= nothing; at++) {
        total += Math.exp(float32At(logits, at) - highest);
        // The rest only takes from it.
        if (share / total < minScore) return 0;
      }
      return share / total;
    }),
};

/** RT-DETR and others of its kin: as DETR, with a sigmoid for each class and none for nothing. */
export const rtDetr: Decoding = {
  maxOverlap: null,
  decode: (outputs, shape, minScore) =>
    queries(outputs, shape, shape.kinds, minScore, (_, __, surest) => 1 / (1 + Math.exp(-surest))),
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
    return queries(named, shape, columns, minScore, (_, __, surest) => 1 / (1 + Math.exp(-surest)));
  },
};

/** `scoreOf` is given all logits, where those of a query begin, and that of its surest class. */
function queries(
  outputs: Outputs,
  { width, height, kinds }: DetectorShape,
  columns: number,
  minScore: number,
  scoreOf: (logits: Float32Array, from: number, surest: number) => number,
): FoundObject[] {
  const logits = outputOf(outputs, 'logits', 'pred_logits');
  const places = outputOf(outputs, 'pred_boxes');
  const [rows = 0] = logits.dims;
  if (logits.dims.length !== 2 || logits.dims[1] !== columns) throw unlike(logits, `[queries, ${columns}]`);
  if (places.data.length !== rows * 4) throw unlike(places, `[${rows}, 4]`);
  const found = new SurestBoxes(minScore);
  for (let row = 0, from = 0; row < rows; row++, from += columns) {
    const kind = surestKind(logits.data, from, kinds);
    if (kind !== null) found.offer(scoreOf(logits.data, from, float32At(logits.data, from + kind)), row * kinds + kind);
  }
  return found.read((place, score) => {
    const at = Math.floor(place / kinds) * 4;
    const [x = 0, y = 0, w = 0, h = 0] = places.data.subarray(at, at + 4);
    const box = boxAround(x, y, w, h);
    return {
      ...{ kind: place % kinds, score },
      ...{ x: box.x * width, y: box.y * height, w: box.w * width, h: box.h * height },
    };
  });
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
