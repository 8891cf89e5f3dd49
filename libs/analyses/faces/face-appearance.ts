import { elementAt } from '@adit/contracts';
import { similarityMap, warp, type Affine, type Point, type RgbImage } from '@adit/inference';
import { standardised } from '../tracking/shots.js';
import type { FacePoints } from '../detection/blazeface.js';
import type { FaceAppearance } from './appearance-changes.js';

const SIDE = 20;
/** Target positions of eyes, nose and mouth in the small picture, which the face fills. */
const PLACES: readonly Point[] = [
  [5.5, 6.5],
  [14.5, 6.5],
  [10, 11.5],
  [10, 15.5],
];

/**
 * Returns a face's appearance. `points` are fractions of the picture. No network is needed, so every sighting has one.
 */
export function faceAppearance(picture: RgbImage, points: FacePoints): FaceAppearance {
  const four = points.slice(0, 4).map(([x, y]): Point => [x * picture.width, y * picture.height]);
  const map: Affine = similarityMap(PLACES, four);
  const { data } = warp(picture, map, SIDE, SIDE);
  const luma = Float32Array.from({ length: SIDE * SIDE }, (_, i) => {
    return 0.299 * elementAt(data, 3 * i) + 0.587 * elementAt(data, 3 * i + 1) + 0.114 * elementAt(data, 3 * i + 2);
  });
  return standardised(luma).shape;
}
