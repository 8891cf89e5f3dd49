import {
  boxMap,
  inputOf,
  runOnPicture,
  type NetworkSession,
  type PixelBox,
  type Point,
  type RgbImage,
} from '@adit/inference';
import type { ScoredBox } from '../tracking/box.js';

/** A face as BlazeFace sees it: right eye, left eye, nose, mouth, right ear, left ear (of the person), in pixels. */
export interface BlazeFace extends ScoredBox {
  points: Point[];
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
    const logits = outputs.find(({ dims }) => dims[0] === count && dims[1] === 1)!.data;
    const values = outputs.find(({ dims }) => dims[0] === count && dims[1] === VALUES)!.data;
    for (let i = 0; i < count; i++) {
      if (best && logits[i]! <= best.logit) continue;
      const place = Math.floor(i / perPlace);
      const anchorX = (((place % side) + 0.5) / side) * width;
      const anchorY = ((Math.floor(place / side) + 0.5) / side) * height;
      best = { logit: logits[i]!, values, at: i * VALUES, anchorX, anchorY };
    }
  }
  if (!best) return null;
  const score = 1 / (1 + Math.exp(-best.logit));
  if (score < minScore) return null;
  const { values, at, anchorX, anchorY } = best;
  const scale = region.w / width;
  const point = (i: number): Point => [
    region.x + (values[at + i]! + anchorX) * scale,
    region.y + (values[at + i + 1]! + anchorY) * scale,
  ];
  const [centreX, centreY] = point(0);
  const w = values[at + 2]! * scale;
  const h = values[at + 3]! * scale;
  const points = [4, 6, 8, 10, 12, 14].map(point);
  return { x: centreX - w / 2, y: centreY - h / 2, w, h, score, points };
}
