export * from './looks.js';
export * from './probes.js';
export * from './questions.js';
