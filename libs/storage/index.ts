export * from './entries.js';
export * from './keys.js';
export * from './names.js';
export * from './quota.js';
export * from './removals.js';
export * from './stored-file.js';
export * from './thumbnails.js';
export * from './tree.js';
