export * from './keys.js';
export * from './stored-file.js';
