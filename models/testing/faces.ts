/** The simplest way from a photo to a face's embedding, for specs. */
import type { ModelSet } from './model-set.js';
import type { NamedArrays } from './onnx-run.js';
import { align, cut, inputOf, mean, toPhoto, type Photo, type Point } from './photos.js';

export interface Box {
  readonly centre: Point;
  readonly width: number;
  readonly height: number;
  readonly score: number;
}

/** ArcFace's template: eyes, tip of the nose and corners of the mouth in 112×112 pixels (InsightFace). */
const ARCFACE_TEMPLATE: readonly Point[] = [
  [38.2946, 51.6963],
  [73.5318, 51.5014],
  [56.0252, 71.7366],
  [41.5493, 92.3655],
  [70.7299, 92.2041],
];

/** The best-scored box of UltraFace, in pixels of the photo. */
export async function detectWithUltraface(models: ModelSet, photo: Photo): Promise<Box> {
  const input = await models.input('ultraface');
  const width = Math.max(photo.width, (photo.height * 4) / 3);
  const part = cut([photo.width / 2, photo.height / 2], width, input.width, input.height);
  const { scores = [], boxes = [] } = await models.run('ultraface', inputOf(photo, part, input));
  let best = 0;
  for (let anchor = 0; anchor < scores.length / 2; anchor += 1) {
    if ((scores[2 * anchor + 1] ?? 0) > (scores[2 * best + 1] ?? 0)) best = anchor;
  }
  const corner = (i: number): Point => [
    (boxes[4 * best + i] ?? 0) * input.width,
    (boxes[4 * best + i + 1] ?? 0) * input.height,
  ];
  const [leftTop, rightBottom] = [toPhoto(part, corner(0)), toPhoto(part, corner(2))];
  return boxBetween(leftTop, rightBottom, scores[2 * best + 1] ?? 0);
}

/** The best-scored box of BlazeFace and its key points, in pixels of the photo. */
export async function detectWithBlazeface(models: ModelSet, photo: Photo): Promise<Box & { keypoints: Point[] }> {
  const input = await models.input('blazeface');
  const side = Math.max(photo.width, photo.height);
  const part = cut([photo.width / 2, photo.height / 2], side, input.width, input.height);
  const output = await models.run('blazeface', inputOf(photo, part, input));
  const grids = [
    { scores: output['Identity'], boxes: output['Identity_2'], cells: 16, perCell: 2 },
    { scores: output['Identity_1'], boxes: output['Identity_3'], cells: 8, perCell: 6 },
  ];
  let best: (Box & { keypoints: Point[] }) | undefined;
  for (const { scores = [], boxes = [], cells, perCell } of grids) {
    for (let anchor = 0; anchor < scores.length; anchor += 1) {
      const score = 1 / (1 + Math.exp(-(scores[anchor] ?? 0)));
      if (best !== undefined && best.score >= score) continue;
      const cell = Math.floor(anchor / perCell);
      const pixels = input.width / cells;
      const centre: Point = [((cell % cells) + 0.5) * pixels, (Math.floor(cell / cells) + 0.5) * pixels];
      const place = (i: number): Point =>
        toPhoto(part, [centre[0] + (boxes[16 * anchor + i] ?? 0), centre[1] + (boxes[16 * anchor + i + 1] ?? 0)]);
      best = {
        centre: place(0),
        width: (boxes[16 * anchor + 2] ?? 0) * part.step[0],
        height: (boxes[16 * anchor + 3] ?? 0) * part.step[0],
        score,
        keypoints: [4, 6, 8, 10, 12, 14].map(place),
      };
    }
  }
  if (best === undefined) throw new Error('BlazeFace returned no anchors');
  return best;
}

/** 68 landmarks in pixels of the photo. */
export async function landmarks(models: ModelSet, photo: Photo, box: Box): Promise<Point[]> {
  const input = await models.input('face-landmarks-68');
  const part = cut(box.centre, Math.max(box.width, box.height), input.width, input.height);
  const { output = [] } = await models.run('face-landmarks-68', inputOf(photo, part, input));
  return Array.from({ length: 68 }, (_, i) =>
    toPhoto(part, [(output[2 * i] ?? 0) * input.width, (output[2 * i + 1] ?? 0) * input.height]),
  );
}

/** The 512-d embedding of a face aligned on five points, L2-normalised. */
export async function embed(models: ModelSet, photo: Photo, box: Box): Promise<Float32Array> {
  const points = await landmarks(models, photo, box);
  const of = (from: number, to: number): Point => mean(points.slice(from, to));
  const five = [of(36, 42), of(42, 48), of(30, 31), of(48, 49), of(54, 55)];
  const part = align(ARCFACE_TEMPLATE, five);
  const { output } = await models.run('face-embedding', inputOf(photo, part, await models.input('face-embedding')));
  if (output === undefined) throw new Error('the embedding network has no output');
  const length = Math.hypot(...output);
  return output.map((value) => value / length);
}

/**
 * Returns the square that face-api.js cuts for its face networks (`FaceLandmarks.align`): its side is the distance from
 * eyes to mouth divided by 0.45, and the midpoint of eyes and mouth lies at 0.43 of its height.
 */
export async function alignedSquare(models: ModelSet, photo: Photo, box: Box): Promise<Box> {
  const points = await landmarks(models, photo, box);
  const [left, right, mouth] = [mean(points.slice(36, 42)), mean(points.slice(42, 48)), mean(points.slice(48, 68))];
  const eyes = mean([left, right]);
  const side = Math.hypot(eyes[0] - mouth[0], eyes[1] - mouth[1]) / 0.45;
  const middle = mean([left, right, mouth]);
  return { centre: [middle[0], middle[1] + (0.5 - 0.43) * side], width: side, height: side, score: box.score };
}

/**
 * Runs a network on the square around a box, `scale` times as wide as its longer side, rotated by `angle` degrees
 * clockwise over the photo.
 */
export async function runOnFace(
  models: ModelSet,
  name: string,
  photo: Photo,
  box: Box,
  { scale = 1, angle = 0 }: { scale?: number; angle?: number } = {},
): Promise<NamedArrays> {
  const input = await models.input(name);
  const part = cut(box.centre, Math.max(box.width, box.height) * scale, input.width, input.height, angle);
  return models.run(name, inputOf(photo, part, input));
}

function boxBetween(leftTop: Point, rightBottom: Point, score: number): Box {
  return {
    centre: mean([leftTop, rightBottom]),
    width: rightBottom[0] - leftTop[0],
    height: rightBottom[1] - leftTop[1],
    score,
  };
}
