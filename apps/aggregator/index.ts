export * from './aggregator.module.js';
export { JobAdvance } from './job-advance.js';
