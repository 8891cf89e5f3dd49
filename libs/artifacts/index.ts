export * from './artifacts.js';
export * from './exports.js';
export * from './keys.js';
export * from './reports.js';
export * from './rows-of-workspace.js';
