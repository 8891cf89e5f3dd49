import {
  firstOutput,
  inputOf,
  readFromPicture,
  seenRegion,
  type FloatTensor,
  type NetworkSession,
  type RgbImage,
} from '@adit/inference';
import { likelihoodMap } from '@adit/inference/families/text-detection/decoding';
import { corners, mapCorners, type Corners } from './rotated-rect.js';
import { PADDLE_OPTIONS, textRegions, type TextRegion } from './text-regions.js';

/** A line of text in one frame; corners are fractions of it, in reading order. */
export interface DetectedLine {
  corners: Corners;
  score: number;
}

/** Limit of lines in a full screen of text; the least likely are dropped. */
const MAX_LINES = 60;

/** Detects every line of text of a picture, in one pass, from top to bottom. */
export async function detectLines(picture: RgbImage, network: NetworkSession): Promise<DetectedLine[]> {
  const input = inputOf(network);
  const seen = seenRegion(picture, input);
  const { width, height, regions } = await readFromPicture(network, picture, 'whole', (outputs) =>
    network.manifest.family === undefined
      ? { ...input, regions: textRegions(firstOutput(outputs).data, input.width, input.height) }
      : regionsOfOthers(firstOutput(outputs)),
  );
  const inside = (value: number): number => Math.min(1, Math.max(0, value));
  return regions
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_LINES)
    .map(({ rect, score }) => ({
      score,
      corners: mapCorners(corners(rect), ([x, y]) => [
        inside((seen.x + x * (seen.w / width)) / picture.width),
        inside((seen.y + y * (seen.h / height)) / picture.height),
      ]),
    }))
    .sort((a, b) => a.corners[0][1] - b.corners[0][1] || a.corners[0][0] - b.corners[0][0]);
}

/** Reads a third-party map of any size; the built-in one is read with its tuned settings. */
function regionsOfOthers(output: FloatTensor): { width: number; height: number; regions: TextRegion[] } {
  const { map, width, height } = likelihoodMap(output);
  return { width, height, regions: textRegions(map, width, height, PADDLE_OPTIONS) };
}
