import { clockTime } from '@adit/contracts';
import { cuesOf } from '../cues.js';
import type { Transcript } from '../transcript.js';
import { type FormatOptions, type TranscriptFileFormat, utf8 } from '../transcript-format.js';
import { linesOf, momentsOf, wholeCue } from './underlined.js';

/** SubRip, which nobody has standardised: as ffmpeg and VLC read it. */
export const srt: TranscriptFileFormat<'srt'> = {
  name: 'srt',
  mimeType: 'application/x-subrip; charset=utf-8',
  extension: 'srt',
  write: (transcript, options) => utf8(textOf(transcript, options)),
};

async function* textOf({ paragraphs }: Transcript, { underlineWords }: FormatOptions): AsyncGenerator<string> {
  const split = underlineWords ? momentsOf : wholeCue;
  let number = 0;
  for await (const cue of cuesOf(paragraphs)) {
    for (const moment of split(cue)) {
      number += 1;
      const times = `${clockTime(moment.start, ',')} --> ${clockTime(moment.end, ',')}`;
      yield `${number}\n${times}\n${linesOf(moment, plain).join('\n')}\n\n`;
    }
  }
}

/**
 * Breaks up text that players would take for a tag, an override or the times of a cue, with an invisible word joiner.
 */
function plain(text: string): string {
  return text.replace(/[<{](?=\S)|--(?=>)/g, '$&\u2060');
}
