import { FamilyRegistry } from './registry.js';

export { defineFamily, LABELS, PIXELS, type FamilyDefinition, type Finding } from './family.js';
export {
  pictureInputs,
  sideParts,
  type Axis,
  type ExporterHints,
  type GraphValue,
  type PictureInput,
  type Shape,
  type Tried,
} from './graph.js';
export { FamilyRegistry } from './registry.js';

/** All families of this folder, found by scanning it: a new family edits no list. */
export const MODEL_FAMILIES: FamilyRegistry = await FamilyRegistry.scan(import.meta.dirname);
