export * from './inference-speech.module.js';
