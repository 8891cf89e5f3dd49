import { writeStl, type SpokenParagraph, type StlClock } from '@adit/transcripts';
import type { EditFormat } from '../edit-format.js';
import type { EditList, EditSource } from '../edit-list.js';
import { oneLine } from '../shown.js';

/**
 * Words of a film as subtitles for broadcast (EBU Tech 3264) in its timecode, the start of the programme that of its first frame.
 * What has no words is left out.
 */
export const stl: EditFormat<'stl'> = {
  name: 'stl',
  mimeType: 'application/octet-stream',
  extension: 'stl',
  layout: 'in place',
  mixesRates: false,
  needsSource: true,
  passes: 1,
  async *write(list) {
    const [source] = list.sources;
    if (source === undefined) return;
    yield* writeStl(paragraphsOf(list), { clock: stlClock(source), title: oneLine(list.title, 32), language: null });
  },
};

/** Each event a paragraph of its own, so that no subtitle holds words of two. */
async function* paragraphsOf({ events }: EditList): AsyncGenerator<SpokenParagraph> {
  let number = 0;
  for await (const { source, start, end, text, words = [] } of events()) {
    if (text.trim() === '') continue;
    const { num, den } = source.rate.fps;
    number += 1;
    const times = { time_start: (start * den) / num, time_end: (end * den) / num };
    yield { text, speaker: String(number), ...times, words: [...words] };
  }
}

/**
 * The clock of a film's subtitles. The format has 25 and 30 (29.97) frames a second: 50 and 59.94 are counted by pairs of frames;
 * 24 and its likes go by time, from the same clock to the nearest frame, since no subtitle hangs on less than a frame.
 */
function stlClock({ rate, firstFrame }: Pick<EditSource, 'rate' | 'firstFrame'>): StlClock {
  const { fps, nominal, dropFrame } = rate;
  const by30 = nominal % 30 === 0;
  const counted = by30 ? 30 : 25;
  return {
    format: by30 ? 'STL30.01' : 'STL25.01',
    fps: by30 ? { num: (fps.num * 30) / nominal, den: fps.den } : { num: 25, den: 1 },
    counting: { nominal: counted, dropFrame: by30 && dropFrame },
    first: Math.floor((firstFrame * counted) / nominal),
  };
}
