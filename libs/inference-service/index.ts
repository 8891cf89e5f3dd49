export * from './analysis-worker.js';
export * from './config.js';
export * from './inference.module.js';
export * from './models.module.js';
export * from './pack-source.js';
export * from './run-inference.js';
