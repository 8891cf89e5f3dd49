export * from './counting.js';
export * from './reading.js';
