export * from './argument-errors.js';
export * from './fold-state.js';
export * from './module.js';
export * from './registry.js';
export * from './segment.js';
export * from './segment-builder.js';
export * from './thinning.js';
export * from './timecode.js';
