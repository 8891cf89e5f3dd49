export * from './engine.js';
export * from './supervisor.js';
