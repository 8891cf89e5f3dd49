export { failImport, giveImportUp, importDataset, type ImportPlaces } from './import-dataset.js';
export * from './import-rows.js';
export { presentImport } from './present-import.js';
export { storageKeyOf } from './storage-uri.js';
