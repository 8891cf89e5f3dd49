import type { Readable } from 'node:stream';
import type { TranscriptFormat } from '@adit/contracts';
import { docx } from './formats/docx.js';
import { json } from './formats/json.js';
import { srt } from './formats/srt.js';
import { stl } from './formats/stl.js';
import { ttml } from './formats/ttml.js';
import { txt } from './formats/txt.js';
import { vtt } from './formats/vtt.js';
import type { Transcript } from './transcript.js';
import type { FormatOptions, TranscriptFileFormat } from './transcript-format.js';

/** By the name that clients ask for. */
export const TRANSCRIPT_FORMATS: { [Name in TranscriptFormat]: TranscriptFileFormat<Name> } = {
  srt,
  vtt,
  ttml,
  stl,
  txt,
  docx,
  json,
};

/** A transcript in a format; nothing is underlined unless it is asked for. */
export function writeTranscript(
  format: TranscriptFormat,
  transcript: Transcript,
  { underlineWords = false }: Partial<FormatOptions> = {},
): Readable {
  return TRANSCRIPT_FORMATS[format].write(transcript, { underlineWords });
}
