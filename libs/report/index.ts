export * from './ahead.js';
export * from './write-report.js';
export type * from './report-input.js';
export * from './results-json.js';
export * from './report-formats.js';
export * from './results-table.js';
export * from './xlsx.js';
