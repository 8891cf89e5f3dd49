export * from './common-run.js';
export * from './cues.js';
export type { FormatOptions } from './formats/options.js';
export * from './tokens.js';
export type * from './transcript.js';
export * from './word-times.js';
export * from './write-transcript.js';
