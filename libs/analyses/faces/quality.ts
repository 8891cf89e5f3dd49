import { elementAt } from '@adit/contracts';
import type { RgbImage } from '@adit/inference';
import type { FacePoints } from '../detection/blazeface.js';
import type { FaceMesh } from '../detection/facemesh.js';
import { MIN_VIEW_SIZE } from './observations.js';

/** In degrees. Positive yaw turns to the picture's right, positive pitch looks up, positive roll tilts clockwise. */
export interface Pose {
  yaw: number;
  pitch: number;
  roll: number;
}

const DEGREES = 180 / Math.PI;
/** Mesh points: outer corners of the eyes, top of the forehead, chin. */
const RIGHT_EYE = 33;
const LEFT_EYE = 263;
const FOREHEAD = 10;
const CHIN = 152;

/** Returns the head's pose from the mesh's depth: the axes through the eyes and down the face, as a rotation. */
export function meshPose({ points, depth }: FaceMesh): Pose {
  const between = (from: number, to: number): [number, number, number] => {
    const [[x, y], [u, v]] = [elementAt(points, from), elementAt(points, to)];
    return [u - x, v - y, elementAt(depth, to) - elementAt(depth, from)];
  };
  const across = between(RIGHT_EYE, LEFT_EYE);
  const down = between(FOREHEAD, CHIN);
  const flat = Math.hypot(across[0], across[1]);
  return {
    yaw: Math.atan2(across[2], flat) * DEGREES,
    pitch: Math.atan2(down[2], Math.hypot(down[0], down[1])) * DEGREES,
    roll: Math.atan2(across[1], across[0]) * DEGREES,
  };
}

/**
 * Rates frontality by BlazeFace's points alone, 0..1: 1 when the nose is midway between the eyes, 0 in profile. Cheap
 * enough for every sighting.
 */
export function frontality([right, left, nose]: FacePoints): number {
  const eyes = Math.hypot(left[0] - right[0], left[1] - right[1]);
  if (eyes === 0) return 0;
  const along = ((nose[0] - right[0]) * (left[0] - right[0]) + (nose[1] - right[1]) * (left[1] - right[1])) / eyes ** 2;
  return Math.max(0, 1 - 2 * Math.abs(along - 0.5));
}

/** Variance of the Laplacian that counts as half sharp. */
const HALF_SHARP = 120;
const SIDE = 112;

/**
 * Rates sharpness, 0..100: the variance of the Laplacian over the aligned face, 112×112 (Pech-Pacheco et al., "Diatom
 * autofocusing in brightfield microscopy", 2000), with diminishing weight beyond the necessary detail. An enlarged face
 * is blurred and correctly scores low.
 */
export function sharpness(aligned: RgbImage): number {
  /* eslint-disable @typescript-eslint/no-non-null-assertion -- loops over pixels, all within the aligned picture */
  const pixels = aligned.data;
  const luma = new Float32Array(SIDE * SIDE);
  for (let i = 0; i < luma.length; i++) {
    luma[i] = 0.299 * pixels[3 * i]! + 0.587 * pixels[3 * i + 1]! + 0.114 * pixels[3 * i + 2]!;
  }
  let sum = 0;
  let squares = 0;
  let count = 0;
  // Only the inner face counts, since hair and background do not show focus on the person.
  for (let y = 24; y < SIDE - 8; y++) {
    for (let x = 20; x < SIDE - 20; x++) {
      const i = y * SIDE + x;
      const value = luma[i - 1]! + luma[i + 1]! + luma[i - SIDE]! + luma[i + SIDE]! - 4 * luma[i]!;
      sum += value;
      squares += value * value;
      count++;
    }
  }
  /* eslint-enable @typescript-eslint/no-non-null-assertion */
  const variance = squares / count - (sum / count) ** 2;
  return (100 * variance) / (variance + HALF_SHARP);
}

/** Below this size Face Mesh has to see a face as well, since folds and lamps of that size pass for one. */
const SURE_SIZE = 48;
/** Blurred faces of different people look alike. */
const MIN_SHARPNESS = 5;
/** Views without a face are below this certainty. */
const MIN_CERTAINTY = 1.65;

/**
 * Tests whether a view identifies somebody: it is sharp and large enough, and the network sees a face. Sharpness counts
 * more than size; README.md has the measurements. `certainty` is the embedding's; `precise` means that the mesh was
 * used.
 */
export function isEvidence(view: { size: number; sharpness: number; certainty: number; precise: boolean }): boolean {
  const { size, sharpness: sharp, certainty, precise } = view;
  if (size < MIN_VIEW_SIZE || (size < SURE_SIZE && !precise)) return false;
  return sharp >= MIN_SHARPNESS && certainty >= MIN_CERTAINTY;
}

/** Rates a view for recognition, 0..1. Size counts up to the embedding's own 112 pixels. */
export function viewQuality(size: number, sharp: number, pose: Pose, precise: boolean): number {
  const large = Math.min(1, size / SIDE);
  const turned =
    Math.cos(Math.min(90, Math.abs(pose.yaw)) / DEGREES) * Math.cos(Math.min(90, Math.abs(pose.pitch)) / DEGREES);
  return Math.cbrt(large * (0.25 + 0.75 * (sharp / 100)) * turned) * (precise ? 1 : 0.5);
}
