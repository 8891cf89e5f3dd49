export * from './common-run.js';
export * from './cues.js';
export type { StlClock } from './ebu-stl/stl-clock.js';
export { writeStl } from './ebu-stl/write-stl.js';
export * from './tokens.js';
export type * from './transcript.js';
export type { FormatOptions, TranscriptFileFormat } from './transcript-format.js';
export * from './transcript-formats.js';
export * from './word-times.js';
