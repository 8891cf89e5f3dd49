export type { MinioConfig, ObjectsConfig } from './config.js';
export { FilesystemObjectStore, type FilesystemOptions } from './filesystem.js';
export type { ForeignObject, ForeignObjects, ForeignServer } from './foreign-objects.js';
export { identityOf } from './minio/identity-settings.js';
export { ObjectsModule, objectsWarning, openObjectStore } from './objects.module.js';
export { FOREIGN_ADDRESS, openForeignObjects } from './open-foreign-objects.js';
export * from './port.js';
export { isStoreFull } from './store-fullness.js';
export { objectsConfig, ObjectsSettings } from './settings.js';
