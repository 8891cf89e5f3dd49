export * from './classes.js';
export * from './erasure.js';
export * from './images.js';
export * from './present.js';
export * from './read-datasets.js';
