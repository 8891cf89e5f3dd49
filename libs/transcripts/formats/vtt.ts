import { clockTime } from '@adit/contracts';
import { cuesOf } from '../cues.js';
import type { Transcript } from '../transcript.js';
import { type FormatOptions, type TranscriptFileFormat, utf8 } from '../transcript-format.js';
import { linesOf, momentsOf, wholeCue } from './underlined.js';

/** WebVTT (W3C), each cue with who speaks. */
export const vtt: TranscriptFileFormat<'vtt'> = {
  name: 'vtt',
  mimeType: 'text/vtt; charset=utf-8',
  extension: 'vtt',
  write: (transcript, options) => utf8(textOf(transcript, options)),
};

async function* textOf({ paragraphs }: Transcript, { underlineWords }: FormatOptions): AsyncGenerator<string> {
  const split = underlineWords ? momentsOf : wholeCue;
  yield 'WEBVTT\n\n';
  for await (const cue of cuesOf(paragraphs)) {
    const voice = cue.speaker === null || cue.speaker.trim() === '' ? '' : `<v ${escaped(oneLine(cue.speaker))}>`;
    for (const moment of split(cue)) {
      const times = `${clockTime(moment.start, '.')} --> ${clockTime(moment.end, '.')}`;
      yield `${times}\n${voice}${linesOf(moment, escaped).join('\n')}\n\n`;
    }
  }
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function escaped(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
