export type { MinioConfig, ObjectsConfig } from './config.js';
export { FilesystemObjectStore, type FilesystemOptions } from './filesystem.js';
export { ObjectsModule, openObjectStore } from './objects.module.js';
export * from './port.js';
export { objectsConfig, ObjectsSettings } from './settings.js';
