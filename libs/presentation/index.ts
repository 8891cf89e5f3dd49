export * from './live-progress.js';
export * from './module-segments.js';
export * from './present-artifact.js';
export * from './present-export.js';
export * from './present-job.js';
export * from './present-segment.js';
export * from './provenance.js';
export * from './shown-jobs.js';
