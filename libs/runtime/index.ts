export * from './backoff.js';
export * from './base-config.js';
export * from './config.js';
export * from './configuration-doc.js';
export * from './log-context.js';
export * from './logger.js';
export * from './nest-logger.js';
export * from './redact.js';
