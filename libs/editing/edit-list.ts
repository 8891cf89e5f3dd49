import type { EditRate } from './edit-rate.js';

/** A film or recording that events are taken from. */
export interface EditSource {
  /** From 0, its number in the list. */
  index: number;
  /** Of the file, as people know it. */
  name: string;
  /** Where editing programs find it: a path, an address or a UMID. */
  location: string;
  /** At most eight letters, no other source's; what a list of CMX calls it. */
  reel: string;
  rate: EditRate;
  /** Number of its first frame: frames since 00:00:00:00 at the rate. */
  firstFrame: number;
  /** Frames. */
  length: number;
  /** Of its picture in pixels; null for sound. */
  size: { width: number; height: number } | null;
  hasSound: boolean;
}

/** One thing that was found: a stretch of a source. */
export interface EditEvent {
  source: EditSource;
  /** Frames from the source's first; there is at least one. */
  start: number;
  /** Exclusive. */
  end: number;
  /** What was found, as people call it. */
  label: string;
  /** Id of the module that found it. */
  module: string;
  /** What was said or written; empty for others. */
  text: string;
  /** Who speaks; null for others. */
  speaker: string | null;
}

/** What a file is written from. */
export interface EditList {
  title: string;
  /** Of what the events are put together to. */
  rate: EditRate;
  sources: readonly EditSource[];
  /** In the order in which they are put together; read anew at each call. */
  events: () => AsyncIterable<EditEvent>;
}
