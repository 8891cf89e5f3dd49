export * from './removals.js';
