import type { TranscriptWord } from '@adit/contracts';
import type { EditRate } from './edit-rate.js';

/** A film or recording that events are taken from. */
export interface EditSource {
  /** From 0, its number in the list. */
  index: number;
  /** Display name of the file. */
  name: string;
  /** Location for editing programs: a path, an address or a UMID. */
  location: string;
  /** At most eight letters, no other source's; what a list of CMX calls it. */
  reel: string;
  /** Name of its reel for formats that hold a longer one: as the job says it, else `reel`. */
  tape: string;
  rate: EditRate;
  /** Number of its first frame: frames since 00:00:00:00 at the rate. */
  firstFrame: number;
  /** Frames. */
  length: number;
  /** Size of its picture in pixels; null for sound. */
  size: { width: number; height: number } | null;
  hasSound: boolean;
}

/** One finding: an interval of a source. */
export interface EditEvent {
  source: EditSource;
  /** Frames from the source's first; there is at least one. */
  start: number;
  /** Exclusive. */
  end: number;
  /** Label that people read. */
  label: string;
  /** Id of the module that found it. */
  module: string;
  /** Spoken or written words; empty for others. */
  text: string;
  /** Words of the text with their times in seconds from the start of the source, where they are known. */
  words?: readonly TranscriptWord[];
  /** Who speaks; null for others. */
  speaker: string | null;
}

/** Content of an edit file. */
export interface EditList {
  title: string;
  /** Rate of the sequence that the events form. */
  rate: EditRate;
  sources: readonly EditSource[];
  /** In the order in which they are put together; read anew at each call. */
  events: () => AsyncIterable<EditEvent>;
}
