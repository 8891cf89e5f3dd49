import { cuesOf } from '../cues.js';
import type { Transcript } from '../transcript.js';
import { clock } from './clock.js';
import type { FormatOptions } from './options.js';
import { linesOf, momentsOf, wholeCue } from './underlined.js';

/** SubRip, which nobody has standardised: as ffmpeg and VLC read it. */
export async function* srtOf({ paragraphs }: Transcript, { underlineWords }: FormatOptions): AsyncGenerator<string> {
  const split = underlineWords ? momentsOf : wholeCue;
  let number = 0;
  for await (const cue of cuesOf(paragraphs)) {
    for (const moment of split(cue)) {
      number += 1;
      const times = `${clock(moment.start, ',')} --> ${clock(moment.end, ',')}`;
      yield `${number}\n${times}\n${linesOf(moment, plain).join('\n')}\n\n`;
    }
  }
}

/** What players would take for a tag, an override or the times of a cue is broken up by an invisible word joiner. */
function plain(text: string): string {
  return text.replace(/[<{](?=\S)|--(?=>)/g, '$&\u2060');
}
