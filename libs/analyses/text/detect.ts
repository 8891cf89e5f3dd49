import {
  boxMap,
  firstOutput,
  inputOf,
  letterbox,
  readFromPicture,
  type NetworkSession,
  type RgbImage,
} from '@adit/inference';
import { corners, mapCorners, type Corners } from './rotated-rect.js';
import { textRegions } from './text-regions.js';

/** A line of text in one frame; corners are fractions of it, in the order of reading. */
export interface DetectedLine {
  corners: Corners;
  score: number;
}

/** A screen full of text: what is beyond so many is left out, the likeliest first. */
const MAX_LINES = 60;

/** Every line of text of a picture, in one look, from top to bottom. */
export async function detectLines(picture: RgbImage, network: NetworkSession): Promise<DetectedLine[]> {
  const { width, height } = inputOf(network);
  const seen = letterbox(picture.width, picture.height, { width, height });
  const scale = seen.w / width;
  const regions = await readFromPicture(network, picture, boxMap(seen, width, height), (outputs) => {
    return textRegions(firstOutput(outputs).data, width, height);
  });
  const inside = (value: number): number => Math.min(1, Math.max(0, value));
  return regions
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_LINES)
    .map(({ rect, score }) => ({
      score,
      corners: mapCorners(corners(rect), ([x, y]) => [
        inside((seen.x + x * scale) / picture.width),
        inside((seen.y + y * scale) / picture.height),
      ]),
    }))
    .sort((a, b) => a.corners[0][1] - b.corners[0][1] || a.corners[0][0] - b.corners[0][0]);
}
