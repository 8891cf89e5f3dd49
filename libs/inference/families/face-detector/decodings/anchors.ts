import type { PixelBox } from '../../../picture/affine.js';
import type { FloatTensor } from '../../../tensor.js';
import {
  boxAround,
  boxOfCorners,
  type Decoding,
  type DetectorShape,
  type FoundObject,
  type Outputs,
} from '../../detector/decodings/decoding.js';
import { SurestBoxes } from '../../detector/decodings/surest-boxes.js';
import { placesOf } from './grids.js';

/** Overlap limits of each maker's own code. */
const RETINAFACE_OVERLAP = 0.4;
const ULTRAFACE_OVERLAP = 0.5;
const BLAZEFACE_OVERLAP = 0.3;
/** RetinaFace: sizes in pixels of the two anchors per place, by stride. */
const RETINAFACE_ANCHORS: [stride: number, sizes: number[]][] = [
  [8, [16, 32]],
  [16, [64, 128]],
  [32, [256, 512]],
];
/** Units of an offset, as a share of the anchor's size, and of the logarithm of a size. */
const VARIANCES = { centre: 0.1, size: 0.2 };
/** BlazeFace: MediaPipe's grids by the number of anchors: places per side, anchors at each. */
const BLAZEFACE_GRIDS: Record<number, [side: number, perPlace: number][]> = {
  896: [
    [16, 2],
    [8, 6],
  ],
  2304: [[48, 1]],
};
const BLAZEFACE_COLUMNS = 16;

/**
 * RetinaFace (biubug6's PyTorch implementation, exported with its softmax): offsets from anchors, and for each a share
 * of background and of face.
 */
export const retinaface: Decoding = {
  maxOverlap: RETINAFACE_OVERLAP,
  decode(outputs, shape, minScore) {
    const anchors = RETINAFACE_ANCHORS.flatMap(([stride, sizes]) =>
      placesOf(shape, stride).flatMap(({ x, y }) =>
        sizes.map((size) => ({ x: x + stride / 2, y: y + stride / 2, size })),
      ),
    );
    const boxes = columnsOf(outputs, 4, anchors.length);
    return surestFaces(columnsOf(outputs, 2, anchors.length), minScore, (index) => {
      const { x, y, size } = anchors[index] ?? { x: 0, y: 0, size: 0 };
      const [dx = 0, dy = 0, w = 0, h = 0] = boxes.data.subarray(4 * index, 4 * index + 4);
      const by = VARIANCES.centre * size;
      const sides = [w, h].map((log) => size * Math.exp(VARIANCES.size * log));
      return boxAround(x + dx * by, y + dy * by, sides[0] ?? 0, sides[1] ?? 0);
    });
  },
};

/** UltraFace (Linzaer): corners in fractions of the picture, with a share of background and of face for each. */
export const ultraface: Decoding = {
  maxOverlap: ULTRAFACE_OVERLAP,
  decode(outputs, { width, height }, minScore) {
    const shares = columnsOf(outputs, 2);
    const boxes = columnsOf(outputs, 4, shares.data.length / 2);
    return surestFaces(shares, minScore, (index) => {
      const [left = 0, top = 0, right = 0, bottom = 0] = boxes.data.subarray(4 * index, 4 * index + 4);
      return boxOfCorners(left * width, top * height, right * width, bottom * height);
    });
  },
};

/**
 * BlazeFace (MediaPipe): boxes around the centres of anchors in pixels, with six points, and a logit for each; in one
 * output or one per grid.
 */
export const blazeface: Decoding = {
  maxOverlap: BLAZEFACE_OVERLAP,
  decode(outputs, shape, minScore) {
    const boxes = joined(outputs, BLAZEFACE_COLUMNS);
    const scores = joined(outputs, 1).map((logit) => 1 / (1 + Math.exp(-logit)));
    const centres = blazefaceCentres(scores.length, shape);
    if (boxes.length !== BLAZEFACE_COLUMNS * scores.length)
      throw new RangeError(`The network has ${scores.length} scores and ${boxes.length} numbers of boxes.`);
    const found = new SurestBoxes(minScore);
    for (const [index, score] of scores.entries()) found.offer(score, index);
    return found.read((index, score) => {
      const at = BLAZEFACE_COLUMNS * index;
      const { x, y } = centres[index] ?? { x: 0, y: 0 };
      const [dx = 0, dy = 0, w = 0, h = 0] = boxes.subarray(at, at + 4);
      return { kind: 0, score, ...boxAround(x + dx, y + dy, w, h) };
    });
  },
};

function blazefaceCentres(count: number, { width, height }: DetectorShape): { x: number; y: number }[] {
  const grids = BLAZEFACE_GRIDS[count];
  if (grids === undefined) throw new RangeError(`The network has ${count} anchors; expected are 896 or 2304.`);
  return grids.flatMap(([side, perPlace]) =>
    Array.from({ length: side * side * perPlace }, (_, anchor) => {
      const place = Math.floor(anchor / perPlace);
      return {
        x: (((place % side) + 0.5) / side) * width,
        y: ((Math.floor(place / side) + 0.5) / side) * height,
      };
    }),
  );
}

/** Concatenates the outputs of that many columns, the longer first, which is that of the finer grid. */
function joined(outputs: Outputs, columns: number): Float32Array {
  const parts = Object.values(outputs)
    .filter(({ dims }) => dims.at(-1) === columns)
    .sort((a, b) => b.data.length - a.data.length);
  const whole = new Float32Array(parts.reduce((sum, { data }) => sum + data.length, 0));
  let at = 0;
  for (const { data } of parts) {
    whole.set(data, at);
    at += data.length;
  }
  return whole;
}

/** Returns the only output of that many columns, and of that many rows where known. */
function columnsOf(outputs: Outputs, columns: number, rows?: number): FloatTensor {
  const [output, ...others] = Object.values(outputs).filter(({ dims }) => dims.at(-1) === columns);
  if (output === undefined || others.length > 0 || (rows !== undefined && output.data.length !== rows * columns)) {
    const shapes = Object.values(outputs).map(({ dims }) => `[${dims.join(', ')}]`);
    throw new RangeError(
      `The network's outputs have the shapes ${shapes.join(', ') || 'of none'}; expected is one of [${rows ?? 'anchors'}, ${columns}].`,
    );
  }
  return output;
}

/** Takes the second of each pair of shares as the score. */
function surestFaces({ data }: FloatTensor, minScore: number, boxAt: (index: number) => PixelBox): FoundObject[] {
  const found = new SurestBoxes(minScore);
  for (let index = 0; index < data.length / 2; index++) found.offer(data[2 * index + 1] ?? 0, index);
  return found.read((index, score) => ({ kind: 0, score, ...boxAt(index) }));
}
