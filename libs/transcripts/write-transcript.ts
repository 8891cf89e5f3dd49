import { Readable } from 'node:stream';
import type { TranscriptFormat } from '@adit/contracts';
import { docxOf } from './formats/docx.js';
import { jsonOf } from './formats/json.js';
import type { FormatOptions } from './formats/options.js';
import { srtOf } from './formats/srt.js';
import { ttmlOf } from './formats/ttml.js';
import { txtOf } from './formats/txt.js';
import { vttOf } from './formats/vtt.js';
import type { Transcript } from './transcript.js';

export const TRANSCRIPT_MIME_TYPES: Record<TranscriptFormat, string> = {
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
  ttml: 'application/ttml+xml',
  txt: 'text/plain; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  json: 'application/json',
};

const TEXTS = { srt: srtOf, vtt: vttOf, ttml: ttmlOf, txt: txtOf, json: jsonOf };

/**
 * A transcript as a stream of bytes, UTF-8, that holds some paragraphs at a time. An error of `paragraphs` destroys it;
 * destroying it ends them.
 */
export function writeTranscript(
  format: TranscriptFormat,
  transcript: Transcript,
  { underlineWords = false }: Partial<FormatOptions> = {},
): Readable {
  if (format === 'docx') return docxOf(transcript);
  return Readable.from(TEXTS[format](transcript, { underlineWords }), { objectMode: false });
}
