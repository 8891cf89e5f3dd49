export * from './new-transcript.js';
export { newestParagraphs, type NewestParagraph } from './newest-paragraphs.js';
export * from './present-transcript.js';
export * from './transcript-erasures.js';
export * from './transcript-events.js';
export * from './transcript-reader.js';
export type { TranscriptBounds } from './transcript-quota.js';
export * from './transcript-writer.js';
