import { formatTimecode } from '@adit/contracts';
import type { EditFormat } from '../edit-format.js';
import type { EditList, EditSource } from '../edit-list.js';
import { nameOf, noteOf, oneLine } from '../shown.js';
import { recordStart, sourceTimecode } from './timecodes.js';

/** Readers take more than the 999 events that CMX itself did. */
const NUMBER_LETTERS = 3;

/**
 * An edit decision list of CMX 3600 ("CMX 3600 EDL" in Media Composer, Resolve, Premiere): each event a cut, behind the one before
 * it, out-points exclusive. Which file a reel is stands in its comments: readers refuse a comment before the first event.
 */
export const edl: EditFormat<'edl'> = {
  name: 'edl',
  mimeType: 'text/plain; charset=utf-8',
  extension: 'edl',
  layout: 'put together',
  mixesRates: false,
  needsSource: true,
  passes: 1,
  async *write(list) {
    yield* edlHead(list);
    yield '\n';
    let number = 0;
    let record = recordStart(list);
    for await (const event of list.events()) {
      const { source, start, end } = event;
      const out = record + end - start;
      number += 1;
      yield edlEvent(number, source, [
        sourceTimecode(event, start),
        sourceTimecode(event, end),
        formatTimecode(record, list.rate),
        formatTimecode(out, list.rate),
      ]);
      yield `* FROM CLIP NAME: ${oneLine(source.name)}\n* SOURCE FILE: ${oneLine(source.location)}\n`;
      if (source.tape !== source.reel) yield `* REEL: ${source.reel} IS ${oneLine(source.tape)}\n`;
      yield `* LOC: ${formatTimecode(record, list.rate)} GREEN   ${nameOf(event)}\n`;
      yield `* COMMENT: ${noteOf(event)}\n`;
      record = out;
    }
  },
};

export function* edlHead({ title, rate }: EditList): Generator<string> {
  yield `TITLE: ${oneLine(title, 70)}\n`;
  yield `FCM: ${rate.dropFrame ? 'DROP FRAME' : 'NON-DROP FRAME'}\n`;
}

/** Source in and out, record in and out. */
export function edlEvent(number: number, source: EditSource, timecodes: readonly string[], reel = source.reel): string {
  const count = String(number).padStart(NUMBER_LETTERS, '0');
  return `${count}  ${reel.padEnd(8)} ${channelsOf(source).padEnd(5)} C        ${timecodes.join(' ')}\n`;
}

/** Picture, two channels of sound, or both. */
function channelsOf({ size, hasSound }: EditSource): string {
  if (size === null) return 'AA';
  return hasSound ? 'AA/V' : 'V';
}
