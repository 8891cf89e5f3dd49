export { CatalogueEntry, modelsRoot, readCatalogue, type Catalogue } from './catalogue.js';
export { installWeights, type InstalledModel } from './install.js';
export { filesOfWheels } from './pulled/wheels.js';
export {
  fetchedModels,
  fetchForSetUp,
  isPulled,
  pullableModels,
  pulledFiles,
  pullModel,
  pullSources,
  type PullOptions,
} from './pulled/pull.js';
