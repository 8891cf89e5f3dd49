import { AditError } from '@adit/contracts';
import { boxMap, inputOf, letterbox, runOnPicture, type NetworkSession, type RgbImage } from '@adit/inference';
import { decodeNanodet } from './nanodet.js';

/** An object in fractions of the frame, within it. */
export interface DetectedObject {
  label: string;
  score: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Below this the network names as many things that are not there as things that are (docs/quality.md). */
export const MIN_SCORE = 0.2;
/** A picture of a crowd: what is beyond so many is noise. */
const MAX_OBJECTS = 100;
/** Boxes of less than this part of the frame's sides are what is left of one outside of it. */
const MIN_SIDE = 0.005;

/** Every object of a picture, the best score first: the whole picture in one look, black around it. */
export async function detectObjects(picture: RgbImage, network: NetworkSession): Promise<DetectedObject[]> {
  const { labels } = network.manifest;
  if (!labels) throw new AditError('INTERNAL', `Model ${network.name} has no labels in its model.yaml.`);
  const { width, height } = inputOf(network);
  const region = letterbox(picture.width, picture.height, { width, height });
  const outputs = await runOnPicture(network, picture, boxMap(region, width, height));
  const scale = region.w / width;
  const across = (pixels: number): number => clamped((region.x + pixels * scale) / picture.width);
  const down = (pixels: number): number => clamped((region.y + pixels * scale) / picture.height);
  return decodeNanodet(outputs, { width, height, kinds: labels.length }, MIN_SCORE)
    .map(({ kind, score, x, y, w, h }) => ({
      label: labels[kind]!,
      score,
      x: across(x),
      y: down(y),
      w: across(x + w) - across(x),
      h: down(y + h) - down(y),
    }))
    .filter(({ w, h }) => w >= MIN_SIDE && h >= MIN_SIDE)
    .slice(0, MAX_OBJECTS);
}

function clamped(fraction: number): number {
  return Math.min(1, Math.max(0, fraction));
}
