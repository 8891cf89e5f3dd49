export * from './inference-face.module.js';
