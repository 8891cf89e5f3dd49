import type { NetworkSession, PixelBox, RgbImage } from '@adit/inference';
import { detectFaces } from '../detection/detect-faces.js';

/** Networks that find faces, as in `faces`. */
export const FACE_NETWORKS = ['ultraface', 'blazeface', 'facemesh'] as const;

/**
 * Labels that faces are mistaken for: those that have one, and those that fill a picture. Not those that show faces or
 * stand in front of them.
 */
const TAKEN_FOR = new Set([
  ...['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe', 'teddy bear'],
  ...['bicycle', 'car', 'motorcycle', 'airplane', 'bus', 'train', 'truck', 'boat'],
  ...[
    'traffic light',
    'fire hydrant',
    'stop sign',
    'parking meter',
    'frisbee',
    'sports ball',
    'kite',
    'toilet',
    'sink',
  ],
]);

/** Margin around the object as a fraction of its size, since a face is recognised by its surroundings. */
export const FACE_MARGIN = 0.3;

export function mayBeFace(label: string): boolean {
  return TAKEN_FOR.has(label);
}

/**
 * Returns the share of a box, in fractions of the picture, that one face covers, 0..1: the face that lies in it most.
 */
export async function faceShare(
  picture: RgbImage,
  box: PixelBox,
  networks: Readonly<Record<(typeof FACE_NETWORKS)[number], NetworkSession>>,
): Promise<number> {
  const faces = await detectFaces(picture, picture, networks);
  const shares = faces.map((face) => {
    const across = Math.min(face.x + face.w, box.x + box.w) - Math.max(face.x, box.x);
    const down = Math.min(face.y + face.h, box.y + box.h) - Math.max(face.y, box.y);
    return (Math.max(0, across) * Math.max(0, down)) / (box.w * box.h);
  });
  return Math.max(0, ...shares);
}
