export * from './artifacts.js';
export * from './clips.js';
export * from './segment-clips.js';
export * from './exports.js';
export * from './keys.js';
export * from './reports.js';
export * from './erasure-of-workspace.js';
