export * from './sweeper.js';
export * from './values.js';
