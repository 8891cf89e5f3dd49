export * from './render-report.js';
export type * from './report-input.js';
export * from './results-json.js';
