export * from './new-transcript.js';
export * from './present-transcript.js';
export * from './transcript-erasures.js';
export * from './transcript-events.js';
export * from './transcript-reader.js';
export type { TranscriptBounds } from './transcript-quota.js';
export * from './transcript-writer.js';
