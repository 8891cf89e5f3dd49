import { FamilyRegistry } from './registry.js';

export { defineFamily, LABELS, PIXELS, type FamilyDefinition, type Finding } from './family.js';
export {
  pictureInput,
  type Axis,
  type ExporterHints,
  type GraphValue,
  type PictureInput,
  type Shape,
} from './graph.js';
export { FamilyRegistry } from './registry.js';

/** Every family of this folder, found by scanning it: a new family edits no list. */
export const MODEL_FAMILIES: FamilyRegistry = await FamilyRegistry.scan(import.meta.dirname);
