import { AditError, elementAt } from '@adit/contracts';
import {
  firstOutput,
  inputOf,
  runOnPicture,
  similarityMap,
  warp,
  warpAsOpenCv,
  type Affine,
  type NetworkSession,
  type Point,
  type RgbImage,
} from '@adit/inference';
import type { FacePoints } from '../detection/blazeface.js';
import { normalise } from './embedding.js';
import { faceMesh, type FaceMesh } from '../detection/facemesh.js';

/**
 * Positions of the eyes, the tip of the nose and the corners of the mouth that ArcFace expects in 112×112 pixels (Deng
 * et al., "ArcFace: Additive Angular Margin Loss for Deep Face Recognition", 2019; InsightFace's template).
 */
const TEMPLATE: readonly Point[] = [
  [38.2946, 51.6963],
  [73.5318, 51.5014],
  [56.0252, 71.7366],
  [41.5493, 92.3655],
  [70.7299, 92.2041],
];
/** The same with the mouth's centre instead of its corners, for BlazeFace's points. */
const TEMPLATE_MOUTH_CENTRE: readonly Point[] = [...TEMPLATE.slice(0, 3), [56.1396, 92.2848]];

/** Mesh points whose mean gives each template point: lids and corners of the eyes, nose, mouth. */
const MESH_POINTS = [[33, 133, 159, 145], [362, 263, 386, 374], [4], [61], [291]];
/** Below this presence the mesh is unreliable, e.g. for a full profile. */
const MIN_PRESENCE = 0.5;

interface AlignedFace {
  /** Maps the aligned 112×112 picture to the given one. */
  map: Affine;
  /** The same map as in InsightFace's code, for the user's own networks. */
  usual: () => Affine;
  mesh: FaceMesh;
  /** True when the mesh was used. */
  precise: boolean;
}

/**
 * Returns the similarity that aligns a face for the embedding. `points` are BlazeFace's, in pixels of `picture`; Face
 * Mesh refines them where it sees a face.
 */
export async function alignFace(
  network: NetworkSession,
  picture: RgbImage,
  [right, left, nose, mouth]: FacePoints,
  size: number,
): Promise<AlignedFace> {
  const angle = Math.atan2(left[1] - right[1], left[0] - right[0]);
  // The midpoint of eyes and mouth is the face's centre in any pose.
  const centre: Point = [(right[0] + left[0] + 2 * mouth[0]) / 4, (right[1] + left[1] + 2 * mouth[1]) / 4];
  const mesh = await faceMesh(network, picture, centre, size * 1.5, angle);
  if (mesh.presence < MIN_PRESENCE) {
    const four = [right, left, nose, mouth];
    const usual = () => insightFaceMap(four, TEMPLATE_MOUTH_CENTRE);
    return { map: similarityMap(TEMPLATE_MOUTH_CENTRE, four), usual, mesh, precise: false };
  }
  const five = MESH_POINTS.map((group): Point => {
    const places = group.map((place) => elementAt(mesh.points, place));
    const sum = places.reduce<Point>((at, [x, y]) => [at[0] + x, at[1] + y], [0, 0]);
    return [sum[0] / group.length, sum[1] / group.length];
  });
  return { map: similarityMap(TEMPLATE, five), usual: () => insightFaceMap(five), mesh, precise: true };
}

/**
 * Returns the map from the aligned 112×112 picture to the one with these eyes, tip of the nose and corners of the
 * mouth, as InsightFace computes it (insightface/utils/face_align.py): the inverse of the best fit on the template. The
 * best fit on the picture, which Adit's own embedding uses, differs where a face is rotated. The template gives the
 * centres of pixels, counted from 0.
 */
export function insightFaceMap(points: readonly Point[], template: readonly Point[] = TEMPLATE): Affine {
  const centres = template.map(([x, y]): Point => [x + 0.5, y + 0.5]);
  const [a, b, c, d, e, f] = similarityMap(points, centres);
  const area = a * e - b * d;
  return [e / area, -b / area, (b * f - c * e) / area, -d / area, a / area, (c * d - a * f) / area];
}

const IDENTITY: Affine = [1, 0, 0, 0, 1, 0];

/** Side of the template in pixels. */
const TEMPLATE_SIDE = 112;

/** Returns the face as Adit's own embedding expects it, 112×112. */
export function alignedPicture(picture: RgbImage, map: Affine): RgbImage {
  return warp(picture, map, TEMPLATE_SIDE, TEMPLATE_SIDE);
}

/**
 * Returns the face for a network of `side` × `side` pixels as InsightFace crops it: pixel centres stay where those of
 * 112 lie.
 */
function insightFacePicture(picture: RgbImage, [a, b, c, d, e, f]: Affine, side: number): RgbImage {
  const step = TEMPLATE_SIDE / side;
  const shift = (1 - step) / 2;
  const map: Affine = [a * step, b * step, c + (a + b) * shift, d * step, e * step, f + (d + e) * shift];
  return warpAsOpenCv(picture, map, side, side);
}

interface FaceEmbedding {
  /**
   * Vector of length 1 with 512 values, near those of the same person (cosine above 0.5; different people below 0.3).
   */
  vector: Float32Array;
  /**
   * Length of the network's output before normalisation, about 1.4 to 4.3: shorter for less visible faces (Meng et al.,
   * "MagFace: A Universal Representation for Face Recognition and Quality Assessment", 2021).
   */
  certainty: number;
}

export async function embedFace(network: NetworkSession, aligned: RgbImage): Promise<FaceEmbedding> {
  const { data } = firstOutput(await runOnPicture(network, aligned, IDENTITY));
  return { vector: normalise(data), certainty: Math.hypot(...data) };
}

/** Longest embedding, because observations and fold states hold hundreds of them. */
const MAX_DIMENSIONS = 1024;

/**
 * Embeds a face with the user's network, aligned to ArcFace's template at the network's size; returns length 1. `map`
 * is InsightFace's. Throws VALIDATION, naming the network, when its input is not square or its output is no embedding.
 */
export async function embedAs(network: NetworkSession, picture: RgbImage, map: Affine): Promise<Float32Array> {
  const { width, height } = inputOf(network);
  const { name } = network.manifest;
  if (width !== height) {
    throw new AditError('VALIDATION', `${name} takes ${width} × ${height} pixels: faces are aligned in a square.`);
  }
  const { data } = firstOutput(await runOnPicture(network, insightFacePicture(picture, map, width), IDENTITY));
  if (data.length > MAX_DIMENSIONS) {
    throw new AditError(
      'VALIDATION',
      `${name} answers ${data.length} numbers for a face: ${MAX_DIMENSIONS} can be kept.`,
    );
  }
  const length = Math.hypot(...data);
  if (!(length > 0 && length < Infinity)) {
    throw new AditError('VALIDATION', `${name} answers no embedding for a face: its numbers are all 0, or not finite.`);
  }
  return normalise(data);
}
