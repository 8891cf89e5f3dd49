export * from './inference-text.module.js';
