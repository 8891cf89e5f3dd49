export * from './config.js';
export * from './decoder.module.js';
