export * from './nudged-loop.js';
export * from './outbox.js';
