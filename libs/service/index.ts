export * from './dependencies.module.js';
export * from './operations-server.js';
export * from './platform.js';
export * from './run-worker.js';
export * from './service-process.js';
export * from './telemetry.js';
export * from './work-directory.js';
