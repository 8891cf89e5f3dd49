export { ModelCache } from './model-cache.js';
export { ModelStore, type NewModelVersion, type StoredVersion } from './model-store.js';
export { StoredModels } from './stored-models.js';
