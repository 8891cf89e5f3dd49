import type { InferenceApp } from '@adit/inference-service';

/** Analyses of speech. */
export const SPEECH_APP: InferenceApp = { family: 'speech' };
