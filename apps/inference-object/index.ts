export * from './inference-object.module.js';
