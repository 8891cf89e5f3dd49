import type { InferenceApp } from '@adit/inference-service';

/** Analyses of objects and scenes. */
export const OBJECT_APP: InferenceApp = { family: 'object' };
