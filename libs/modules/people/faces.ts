import type { AnalysisNeed } from '@adit/module-kit';

/** The pass over the faces that face_recognition makes by default, so that one pass serves all. */
export const FACES: AnalysisNeed = { analysis: 'faces', args: { detectionScale: 600 } };
