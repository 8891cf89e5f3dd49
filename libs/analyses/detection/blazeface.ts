import { AditError, elementAt } from '@adit/contracts';
import {
  boxMap,
  type FloatTensor,
  inputOf,
  type NetworkSession,
  overlap,
  type PixelBox,
  type Point,
  type RgbImage,
  runOnPicture,
  type ScoredBox,
  squareAround,
} from '@adit/inference';

/** Right eye, left eye, nose, mouth, right ear, left ear of the person. */
export type FacePoints = readonly [Point, Point, Point, Point, Point, Point];

/** A face found by BlazeFace, in pixels. */
export interface BlazeFace extends ScoredBox {
  points: FacePoints;
}

export function mapPoints(points: FacePoints, map: (point: Point, index: number) => Point): FacePoints {
  const [a, b, c, d, e, f] = points;
  return [map(a, 0), map(b, 1), map(c, 2), map(d, 3), map(e, 4), map(f, 5)];
}

/** Anchors in the order of the model's outputs: grid side, anchors at each place. */
const GRIDS = [
  { side: 16, perPlace: 2 },
  { side: 8, perPlace: 6 },
];
const VALUES = 16;

/** Below this score BlazeFace's detections are useless. */
const MIN_SCORE = 0.4;
const MIN_LOGIT = Math.log(MIN_SCORE / (1 - MIN_SCORE));

/**
 * Runs BlazeFace, back camera variant (Bazarevsky et al., "BlazeFace: Sub-millisecond Neural Face Detection on Mobile
 * GPUs", 2019), on a square twice as large as `near`. Returns the face with the highest score among those that overlap
 * `near` by at least `minOverlap` (intersection over union), or null. A more visible neighbour does not hide it.
 */
export async function blazeface(
  network: NetworkSession,
  picture: RgbImage,
  near: PixelBox,
  minOverlap: number,
): Promise<BlazeFace | null> {
  const region = squareAround(near, 2);
  const { width, height } = inputOf(network);
  const outputs = Object.values(await runOnPicture(network, picture, boxMap(region, width, height)));
  const scale = region.w / width;
  let best: (PixelBox & { logit: number; points: FacePoints }) | null = null;
  for (const { side, perPlace } of GRIDS) {
    const count = side * side * perPlace;
    const values = outputOf(outputs, count, VALUES);
    for (const [i, logit] of outputOf(outputs, count, 1).entries()) {
      if (logit < (best?.logit ?? MIN_LOGIT)) continue;
      const place = Math.floor(i / perPlace);
      const anchorX = (((place % side) + 0.5) / side) * width;
      const anchorY = ((Math.floor(place / side) + 0.5) / side) * height;
      const point = (n: number): Point => [
        region.x + (elementAt(values, i * VALUES + n) + anchorX) * scale,
        region.y + (elementAt(values, i * VALUES + n + 1) + anchorY) * scale,
      ];
      const [centreX, centreY] = point(0);
      const w = elementAt(values, i * VALUES + 2) * scale;
      const h = elementAt(values, i * VALUES + 3) * scale;
      const box = { x: centreX - w / 2, y: centreY - h / 2, w, h };
      if (overlap(near, box) < minOverlap) continue;
      best = { ...box, logit, points: [point(4), point(6), point(8), point(10), point(12), point(14)] };
    }
  }
  if (best === null) return null;
  const { logit, ...face } = best;
  return { ...face, score: 1 / (1 + Math.exp(-logit)) };
}

/** Returns the output with that many values for each of `count` anchors. */
function outputOf(outputs: readonly FloatTensor[], count: number, values: number): Float32Array {
  const output = outputs.find(({ dims }) => dims[0] === count && dims[1] === values);
  if (output) return output.data;
  throw new AditError('INTERNAL', `The model blazeface has no output of ${count}×${values}.`);
}
