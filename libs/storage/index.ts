export * from './keys.js';
export * from './names.js';
export * from './quota.js';
export * from './stored-file.js';
export * from './tree.js';
