import { Readable } from 'node:stream';
import type { FileFormat, TranscriptFormat } from '@adit/contracts';
import type { Transcript } from './transcript.js';

export interface FormatOptions {
  /** srt and vtt: the word that is being said is underlined. Each word is a cue of its own then. */
  underlineWords: boolean;
}

/** A form in which transcripts leave: one file of `formats` each. */
export interface TranscriptFileFormat<Name extends TranscriptFormat = TranscriptFormat> extends FileFormat<Name> {
  /** A stream of bytes that holds some paragraphs at a time. An error of the paragraphs destroys it; destroying it ends them. */
  write: (transcript: Transcript, options: FormatOptions) => Readable;
}

/** Text as a stream of UTF-8. */
export function utf8(text: AsyncIterable<string>): Readable {
  return Readable.from(text, { objectMode: false });
}
