import {
  boxMap,
  inputOf,
  letterbox,
  readFromPicture,
  type NetworkSession,
  type Point,
  type RgbImage,
} from '@adit/inference';
import { corners } from './rotated-rect.js';
import { textRegions } from './text-regions.js';

/** A line of text in one frame; corners are fractions of it, in the order of reading. */
export interface DetectedLine {
  corners: [Point, Point, Point, Point];
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
    const map = Object.values(outputs)[0]!;
    return textRegions(map.data, width, height);
  });
  const inside = (value: number): number => Math.min(1, Math.max(0, value));
  return regions
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_LINES)
    .map(({ rect, score }) => ({
      score,
      corners: corners(rect).map(([x, y]): Point => [
        inside((seen.x + x * scale) / picture.width),
        inside((seen.y + y * scale) / picture.height),
      ]) as DetectedLine['corners'],
    }))
    .sort((a, b) => a.corners[0][1] - b.corners[0][1] || a.corners[0][0] - b.corners[0][0]);
}
