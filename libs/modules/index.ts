import { ModuleRegistry } from '@adit/module-kit';

export { planGalleryFolder } from './galleries/gallery-folder.js';
export type { PlannedPerson } from './galleries/gallery-folder.js';
export { classIdOf, writeGalleryFiles, writeGalleryVersion } from './galleries/gallery-writer.js';
export type { GalleryPerson } from './galleries/gallery-writer.js';
export { readGallery } from './galleries/gallery.js';
export type { Gallery } from './galleries/gallery.js';
export { FACE_GALLERY, LANDMARK_MODEL } from './galleries/kinds.js';
export type { GalleryKind } from './galleries/kinds.js';
export { Matcher } from './galleries/match.js';
export { checkPlacesSize, readPlaces } from './landmark_recognition/places-file.js';
export type { PlaceRow } from './landmark_recognition/places-file.js';

/** Loads every module of this folder by scanning it: a new module edits no list. */
export function loadModules(): Promise<ModuleRegistry> {
  return ModuleRegistry.scan(import.meta.dirname);
}
