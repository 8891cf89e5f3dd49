import type { InferenceApp } from '@adit/inference-service';
import { PLACE_INFERENCE } from './place-image-inference.js';

/** Analyses of whole pictures, and inference over images of landmark datasets. */
export const LANDMARK_APP: InferenceApp = { family: 'landmark', images: PLACE_INFERENCE };
