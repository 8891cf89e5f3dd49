import { cuesOf } from '../cues.js';
import type { Transcript } from '../transcript.js';
import { clock } from './clock.js';
import type { FormatOptions } from './options.js';
import { linesOf, momentsOf, wholeCue } from './underlined.js';

/** WebVTT (W3C), each cue with who speaks. */
export async function* vttOf({ paragraphs }: Transcript, { underlineWords }: FormatOptions): AsyncGenerator<string> {
  const split = underlineWords ? momentsOf : wholeCue;
  yield 'WEBVTT\n\n';
  for await (const cue of cuesOf(paragraphs)) {
    const voice = cue.speaker === null || cue.speaker.trim() === '' ? '' : `<v ${escaped(oneLine(cue.speaker))}>`;
    for (const moment of split(cue)) {
      const times = `${clock(moment.start, '.')} --> ${clock(moment.end, '.')}`;
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
