import { AditError, elementAt } from '@adit/contracts';
import {
  boxMap,
  type FloatTensor,
  inputOf,
  type NetworkSession,
  type PixelBox,
  type Point,
  type RgbImage,
  runOnPicture,
  type ScoredBox,
} from '@adit/inference';

/** Right eye, left eye, nose, mouth, right ear, left ear of the person. */
export type FacePoints = readonly [Point, Point, Point, Point, Point, Point];

/** A face as BlazeFace sees it, in pixels. */
export interface BlazeFace extends ScoredBox {
  points: FacePoints;
}

export function mapPoints([a, b, c, d, e, f]: FacePoints, map: (point: Point) => Point): FacePoints {
  return [map(a), map(b), map(c), map(d), map(e), map(f)];
}

/** Anchors in the order of the model's outputs: grid side, anchors at each place. */
const GRIDS = [
  { side: 16, perPlace: 2 },
  { side: 8, perPlace: 6 },
];
const VALUES = 16;

/**
 * BlazeFace, back camera variant (Bazarevsky et al., "BlazeFace: Sub-millisecond Neural Face Detection on Mobile GPUs",
 * 2019) on one square region: the face of the highest score, or null when none reaches `minScore`.
 */
export async function blazeface(
  network: NetworkSession,
  picture: RgbImage,
  region: PixelBox,
  minScore: number,
): Promise<BlazeFace | null> {
  const { width, height } = inputOf(network);
  const outputs = Object.values(await runOnPicture(network, picture, boxMap(region, width, height)));
  let best: { logit: number; values: Float32Array; at: number; anchorX: number; anchorY: number } | null = null;
  for (const { side, perPlace } of GRIDS) {
    const count = side * side * perPlace;
    const values = outputOf(outputs, count, VALUES);
    for (const [i, logit] of outputOf(outputs, count, 1).entries()) {
      if (best && logit <= best.logit) continue;
      const place = Math.floor(i / perPlace);
      const anchorX = (((place % side) + 0.5) / side) * width;
      const anchorY = ((Math.floor(place / side) + 0.5) / side) * height;
      best = { logit, values, at: i * VALUES, anchorX, anchorY };
    }
  }
  if (!best) return null;
  const score = 1 / (1 + Math.exp(-best.logit));
  if (score < minScore) return null;
  const { values, at, anchorX, anchorY } = best;
  const scale = region.w / width;
  const point = (i: number): Point => [
    region.x + (elementAt(values, at + i) + anchorX) * scale,
    region.y + (elementAt(values, at + i + 1) + anchorY) * scale,
  ];
  const [centreX, centreY] = point(0);
  const w = elementAt(values, at + 2) * scale;
  const h = elementAt(values, at + 3) * scale;
  const points: FacePoints = [point(4), point(6), point(8), point(10), point(12), point(14)];
  return { x: centreX - w / 2, y: centreY - h / 2, w, h, score, points };
}

/** The output that has so many values for each of `count` anchors. */
function outputOf(outputs: readonly FloatTensor[], count: number, values: number): Float32Array {
  const output = outputs.find(({ dims }) => dims[0] === count && dims[1] === values);
  if (output) return output.data;
  throw new AditError('INTERNAL', `The model blazeface has no output of ${count}×${values}.`);
}
