export { failImport, giveImportUp, importDataset, type ImportPlaces } from './import-dataset.js';
export { storageKeyOf } from './storage-uri.js';
