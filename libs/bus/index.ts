export * from './dead-letter.js';
export * from './delivery-policy.js';
export * from './in-process.js';
export * from './port.js';
export * from './wire.js';
