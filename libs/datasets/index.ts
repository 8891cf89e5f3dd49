export * from './classes.js';
export * from './cluster-faces.js';
export * from './erasure.js';
export * from './evaluate-class.js';
export * from './images.js';
export * from './look.js';
export * from './present.js';
export * from './read-datasets.js';
