export type * from './transcript.js';
