export { FilesystemObjectStore, type FilesystemOptions } from './filesystem.js';
export { type ObjectsConfig, ObjectsModule, openObjectStore } from './objects.module.js';
export * from './port.js';
