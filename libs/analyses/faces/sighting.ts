import type { PixelBox } from '@adit/inference';
import type { Followed, Sighted } from '../tracking/track.js';
import type { DetectedFace } from '../detection/detect-faces.js';
import type { FaceAppearance } from './appearance-changes.js';

/** A face in one sampled frame. */
export type Sighting = DetectedFace & Sighted & { appearance: FaceAppearance };

/** A face followed by position alone. */
export type Tracklet = Followed<Sighting>;

/** Returns the box of a face in pixels of its frame at some size. */
export function boxIn({ width, height }: { width: number; height: number }, { x, y, w, h }: PixelBox): PixelBox {
  return { x: x * width, y: y * height, w: w * width, h: h * height };
}
