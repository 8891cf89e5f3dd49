export * from './inference-requests.js';
export * from './probes.js';
export * from './questions.js';
