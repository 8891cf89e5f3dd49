export { Canaries, RUN_SECONDS, type RunningCanary } from './canaries.js';
export { addRun, noRunTimes } from './latency.js';
export { ModelCache } from './model-cache.js';
export { ModelStore, type NewModelVersion, type StoredModel, type StoredVersion } from './model-store.js';
export * from './model-rows.js';
export { StoredModels } from './stored-models.js';
