export * from './background-service.js';
export * from './nudged-loop.js';
export * from './outbox.js';
