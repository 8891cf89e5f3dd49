import { ModuleRegistry } from '@adit/mining';

export { planGalleryFolder } from './face_recognition/gallery-folder.js';
export type { PlannedPerson } from './face_recognition/gallery-folder.js';
export { classIdOf, writeGalleryVersion } from './face_recognition/gallery-writer.js';
export type { GalleryOptions, GalleryPerson, WrittenGallery } from './face_recognition/gallery-writer.js';
export { readGallery } from './face_recognition/gallery.js';
export type { Gallery, GalleryClass } from './face_recognition/gallery.js';

/** Every module of this folder, found by scanning it: a new module edits no list. */
export function loadModules(): Promise<ModuleRegistry> {
  return ModuleRegistry.scan(import.meta.dirname);
}
