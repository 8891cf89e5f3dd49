import type { InferenceApp } from '@adit/inference-service';

/** Analyses of text. */
export const TEXT_APP: InferenceApp = { family: 'text' };
