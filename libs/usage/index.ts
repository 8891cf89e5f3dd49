export * from './counting.js';
export * from './reading.js';
export * from './quotas.js';
export * from './rates.js';
