export * from './module.js';
export * from './segment.js';
