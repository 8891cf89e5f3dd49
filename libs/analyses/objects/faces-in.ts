import type { NetworkSession, PixelBox, RgbImage } from '@adit/inference';
import { detectFaces } from '../detection/detect-faces.js';

/** Networks that find faces, as `faces` does. */
export const FACE_NETWORKS = ['ultraface', 'blazeface', 'facemesh'] as const;

/** Kinds that a face is taken for: what has one, and what fills a picture. Not what shows faces or stands before them. */
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

/** Around the thing that is looked at, of its size: a face is found by what surrounds it. */
export const FACE_MARGIN = 0.3;

export function mayBeFace(label: string): boolean {
  return TAKEN_FOR.has(label);
}

/** How much of a box, in fractions of the picture, one face covers, 0..1: that of which most lies in it. */
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
