import {
  cropRgb,
  frameAt,
  type FramePack,
  type Networks,
  type NetworkSession,
  type PixelBox,
  type RgbImage,
  squareAround,
  wholePixels,
} from '@adit/inference';
import { alignedPicture, alignFace, embedAs, embedFace } from './align.js';
import { readAttributes, type Attributes } from './attributes.js';
import { mapPoints, type FacePoints } from '../detection/blazeface.js';
import { openness, type Openness } from './openness.js';
import { isEvidence, meshPose, sharpness, viewQuality, type Pose } from './quality.js';
import { boxIn, type Sighting } from './sighting.js';

/** A sighting examined in native pixels. */
export interface CloseView {
  sighting: Sighting;
  vector: Float32Array;
  /** Embedding by the user's network, if any; of length 1. */
  compared: Float32Array | null;
  quality: number;
  sharpness: number;
  pose: Pose;
  openness: Openness;
  /** Shorter side in source pixels. */
  size: number;
  /** Present for the best view of a track only, since native pixels are large. */
  cutout: Cutout | null;
}

/** Size of the crop in face boxes, with space for the mesh, the rotated crop and the thumbnail. */
const SURROUNDINGS = 2.2;

/** A face and its surroundings in native pixels; `box` and `points` are pixels of `picture`. */
export interface Cutout {
  picture: RgbImage;
  box: PixelBox;
  points: FacePoints;
}

/** Crops a sighting from the native pack. */
export async function cutOut(pack: FramePack, sighting: Sighting): Promise<Cutout> {
  const { width, height } = frameAt(pack, sighting.index);
  const box = boxIn({ width, height }, sighting);
  const region = wholePixels(squareAround(box, SURROUNDINGS), { width, height });
  const { x, y } = region;
  return {
    picture: await pack.region(sighting.index, region),
    box: { ...box, x: box.x - x, y: box.y - y },
    points: mapPoints(sighting.points, ([px, py]) => [px * width - x, py * height - y]),
  };
}

/**
 * Aligns, measures and embeds one sighting. `size` is its shorter side in source pixels. Null when Adit's own embedding
 * rates it as no evidence.
 */
export async function closeView(
  cutout: Cutout,
  sighting: Sighting,
  size: number,
  networks: { mesh: NetworkSession; embedding: NetworkSession; other: NetworkSession | undefined },
): Promise<CloseView | null> {
  const { picture, box, points } = cutout;
  const { map, usual, mesh, precise } = await alignFace(networks.mesh, picture, points, Math.max(box.w, box.h));
  const aligned = alignedPicture(picture, map);
  const sharp = sharpness(aligned);
  const pose = meshPose(mesh);
  const { vector, certainty } = await embedFace(networks.embedding, aligned);
  if (!isEvidence({ size, sharpness: sharp, certainty, precise })) return null;
  const quality = viewQuality(size, sharp, pose, precise);
  const compared = networks.other === undefined ? null : await embedAs(networks.other, picture, usual());
  return { sighting, vector, compared, quality, sharpness: sharp, pose, openness: openness(mesh), size, cutout };
}

const THUMBNAIL_MARGIN = 1.6;
/**
 * Longest side of a stored face in pixels. Datasets learn from it: the face is 130 pixels high, so one two thirds as
 * wide still has the 80 pixels that training needs.
 */
export const THUMBNAIL_SIDE = 208;

/** Returns the face with some surroundings, in native pixels. */
export function thumbnailOf({ picture, box }: Cutout): RgbImage {
  const around = squareAround(box, THUMBNAIL_MARGIN);
  const x = Math.max(0, around.x);
  const y = Math.max(0, around.y);
  const w = Math.min(picture.width, around.x + around.w) - x;
  const h = Math.min(picture.height, around.y + around.h) - y;
  return cropRgb(picture, { x, y, w, h });
}

export function attributesOf(
  { picture, box }: Cutout,
  networks: Networks<'face-age-gender' | 'face-attributes'>,
): Promise<Attributes> {
  const ageGender = networks['face-age-gender'];
  return readAttributes({ ageGender, attributes: networks['face-attributes'] }, picture, box);
}
