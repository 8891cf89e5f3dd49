import type { InferenceApp } from '@adit/inference-service';
import { FACE_INFERENCE } from './face-image-inference.js';

/** Analyses of faces, and inference over images of people’s datasets. */
export const FACE_APP: InferenceApp = { family: 'face', images: FACE_INFERENCE };
