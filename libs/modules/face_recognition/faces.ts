import type { AnalysisNeed, InstalledModel } from '@adit/module-kit';
import { FACE_NETWORK } from './segments.js';
import { embeddedWith } from '../galleries/embedded-with.js';

/** That of face_recognition by default, so that one pass serves all. */
export const DETECTION_SCALE = 600;
export const FACES: AnalysisNeed = { analysis: 'faces', args: { detectionScale: DETECTION_SCALE } };

/** The pass over the faces for these galleries: with the network that made them besides, where that is somebody's own. */
export function lookAtFaces(
  detectionScale: number,
  galleries: readonly string[],
  installed: readonly InstalledModel[],
): AnalysisNeed {
  const embedding = embeddedWith(galleries, installed, FACE_NETWORK);
  return { analysis: 'faces', args: { detectionScale, ...(embedding !== null && { embedding }) } };
}
