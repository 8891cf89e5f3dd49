export * from './attempts.js';
export * from './installation-lease.js';
export * from './settings.js';
