import { AditError, elementAt } from '@adit/contracts';
import {
  boxMap,
  inputOf,
  type NetworkSession,
  type PixelBox,
  readFromPicture,
  type RgbImage,
  seenRegion,
  suppress,
  tiles,
} from '@adit/inference';
import { decodeObjects, DetectorDecoding } from '@adit/inference/families/detector/decodings/index';
import { decodeFaces, FaceDecoding } from '@adit/inference/families/face-detector/decodings/index';

/** An object in fractions of the frame, clipped to it. */
export interface DetectedObject {
  label: string;
  score: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** Family of face-only networks, which need no labels. */
const FACES = 'face-detector';
/** Below this score the network reports as many false objects as true ones (docs/reference/quality.md). */
const MIN_SCORE = 0.2;
/** Limit for pictures of crowds; further objects are noise. */
const MAX_OBJECTS = 100;
/** Smallest box side as a fraction of the frame's; smaller ones are remains of boxes outside of it. */
const MIN_SIDE = 0.005;

/** Aspect ratio from which squares gain detail, since much of the network's input would stay black. */
const SQUARES_FROM = 1.15;
/** Least overlap of neighbouring squares, as a fraction of their side. */
const SQUARES_OVERLAP = 0.1;
/** Overlap above which two boxes of one label from two passes are one object. */
const MAX_OVERLAP = 0.6;

/**
 * Finds every object of a picture, the best score first, in one pass over the letterboxed picture. `closely` adds
 * passes over squares of its shorter side, which show objects up to twice as large at two to three times the cost.
 */
export async function detectObjects(
  picture: RgbImage,
  network: NetworkSession,
  closely: boolean,
): Promise<DetectedObject[]> {
  const { width, height } = picture;
  const passes = [detectIn(picture, 'whole', network)];
  if (closely && Math.max(width, height) >= SQUARES_FROM * Math.min(width, height)) {
    const side = Math.min(width, height);
    for (const square of tiles(width, height, { width: side, height: side }, Math.round(side * SQUARES_OVERLAP))) {
      passes.push(
        detectIn(picture, square, network).then((found) => found.filter((box) => !isCut(box, square, picture))),
      );
    }
  }
  const found = (await Promise.all(passes)).flat();
  const boxes = passes.length === 1 ? found : suppressByLabel(found);
  return boxes
    .map(({ label, score, x, y, w, h }) => ({ label, score, x: x / width, y: y / height, w: w / width, h: h / height }))
    .filter(({ w, h }) => w >= MIN_SIDE && h >= MIN_SIDE)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_OBJECTS);
}

/** Finds objects in a picture, or in one region of it, in pixels of the picture and clipped to it. */
async function detectIn(
  picture: RgbImage,
  where: PixelBox | 'whole',
  network: NetworkSession,
): Promise<DetectedObject[]> {
  // The built-in detector predates the manifest's field for decodings.
  const { family, decoding = 'nanodet', labels = family === FACES ? ['face'] : [] } = network.manifest;
  if (labels.length === 0) throw new AditError('INTERNAL', `Model ${network.name} has no labels in its model.yaml.`);
  const input = inputOf(network);
  const { width, height } = input;
  const region = where === 'whole' ? seenRegion(picture, input) : where;
  const view = where === 'whole' ? where : boxMap(region, width, height);
  const across = (pixels: number): number =>
    Math.min(picture.width, Math.max(0, region.x + pixels * (region.w / width)));
  const down = (pixels: number): number =>
    Math.min(picture.height, Math.max(0, region.y + pixels * (region.h / height)));
  const shape = { width, height, kinds: labels.length };
  const found = await readFromPicture(network, picture, view, (outputs) => {
    try {
      return family === FACES
        ? decodeFaces(FaceDecoding.parse(decoding), outputs, shape, MIN_SCORE)
        : decodeObjects(DetectorDecoding.parse(decoding), outputs, shape, MIN_SCORE);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // The graph contradicts its model.yaml, which the user can correct.
      throw new AditError('VALIDATION', `${network.name} cannot be read as ${decoding}: ${error.message}`, {
        cause: error,
      });
    }
  });
  return found.map(({ kind, score, x, y, w, h }) => ({
    label: elementAt(labels, kind),
    score,
    x: across(x),
    y: down(y),
    w: across(x + w) - across(x),
    h: down(y + h) - down(y),
  }));
}

/** Tests whether a box ends at an inner border of the square, where another pass sees more of the object. */
function isCut(box: PixelBox, square: PixelBox, { width, height }: RgbImage): boolean {
  const margin = square.w * 0.01;
  return (
    (square.x > 0 && box.x < square.x + margin) ||
    (square.y > 0 && box.y < square.y + margin) ||
    (square.x + square.w < width && box.x + box.w > square.x + square.w - margin) ||
    (square.y + square.h < height && box.y + box.h > square.y + square.h - margin)
  );
}

function suppressByLabel(found: readonly DetectedObject[]): DetectedObject[] {
  const labels = [...new Set(found.map(({ label }) => label))];
  return labels.flatMap((label) =>
    suppress(
      found.filter((box) => box.label === label),
      MAX_OVERLAP,
      Infinity,
    ),
  );
}
