export { CatalogueEntry, modelsRoot, readCatalogue, type Catalogue } from './catalogue.js';
export { installWeights, type InstalledModel } from './install.js';
export { pullableModels, pullModel } from './pulled/pull.js';
