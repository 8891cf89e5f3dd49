export * from './analysis.js';
export * from './session.js';
