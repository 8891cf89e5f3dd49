export * from './inference-landmark.module.js';
