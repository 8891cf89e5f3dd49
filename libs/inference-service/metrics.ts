import { counter, gauge, histogram, secondsBetween } from '@adit/runtime';

export const analysisSeconds = histogram(
  'adit_analysis_seconds',
  'Time to analyse one unit of media',
  ['analysis'],
  secondsBetween(0.01, 500),
);

export const onlineInferenceSeconds = histogram(
  'adit_look_seconds',
  'Time to look at one picture that somebody waits for, its decoding included',
  ['analysis'],
  secondsBetween(0.01, 20),
);

export const canaryUnits = counter(
  'adit_canary_units_total',
  'Units that a version was tried on beside the one that is used',
  ['model', 'outcome'],
);

export const modelLoadSeconds = histogram(
  'adit_model_load_seconds',
  'Time to load and warm a model',
  ['model', 'provider'],
  secondsBetween(0.01, 100),
);

export const modelRunSeconds = histogram(
  'adit_model_run_seconds',
  'Time of one run of a model',
  ['model'],
  secondsBetween(0.001, 10),
);

export const modelProvider = gauge('adit_model_provider', 'What each model in memory runs on; always 1.', [
  'model',
  'provider',
]);

export const modelVersions = gauge('adit_model_loaded', 'Versions of each model that are in memory', ['model']);

export const modelBytes = gauge(
  'adit_model_bytes',
  'Bytes of weights that each model has in memory, in all threads together',
  ['model'],
);

/** `ADIT_MODEL_MEMORY_BYTES` limits the memory. */
export const modelEvictions = counter(
  'adit_model_evictions_total',
  'Times that a version of a model left the memory: for want of room, or with its device',
  ['model'],
);

export const providerFallbacks = counter(
  'adit_provider_fallbacks_total',
  'Loads of a model that a preferred execution provider could not do, so that the next one did',
  ['from', 'to'],
);

export const deviceLosses = counter(
  'adit_device_losses_total',
  'Times that the GPU failed and all models were loaded anew',
);

export const modelBatchRows = histogram(
  'adit_model_batch_rows',
  'Rows of one run of a model',
  ['model'],
  [1, 2, 4, 8, 16, 32, 64],
);
