import type { AnalysisNeed, InstalledModel } from '@adit/module-kit';
import { FACE_NETWORK } from './segments.js';
import { embeddedWith } from '../galleries/embedded-with.js';

/** Default of face_recognition, so that one pass serves all. */
export const DETECTION_SCALE = 600;
export const FACES: AnalysisNeed = { analysis: 'faces', args: { detectionScale: DETECTION_SCALE } };

/** Returns the pass over the faces for these galleries, with their network in addition, if it is the user's. */
export function facesNeed(
  detectionScale: number,
  galleries: readonly string[],
  installed: readonly InstalledModel[],
): AnalysisNeed {
  const embedding = embeddedWith(galleries, installed, FACE_NETWORK);
  return { analysis: 'faces', args: { detectionScale, ...(embedding !== null && { embedding }) } };
}
