import type { EditFormat } from '../edit-format.js';
import { nameOf, noteOf } from '../shown.js';
import { edlEvent, edlHead } from './edl.js';
import { sourceTimecode } from './timecodes.js';

/**
 * Markers of a timeline as DaVinci Resolve writes and reads them ("Import timeline markers from EDL"): an event of a frame for each,
 * whose comment has its colour, name and length.
 */
export const resolveEdl: EditFormat<'resolve_edl'> = {
  name: 'resolve_edl',
  mimeType: 'text/plain; charset=utf-8',
  extension: 'edl',
  layout: 'in place',
  mixesRates: false,
  needsSource: true,
  passes: 1,
  async *write(list) {
    yield* edlHead(list);
    yield '\n';
    let number = 0;
    for await (const event of list.events()) {
      const { source, start, end } = event;
      number += 1;
      const frame = [sourceTimecode(event, start), sourceTimecode(event, start + 1)];
      // Its reader takes the number for the reel.
      const reel = String(number).padStart(3, '0');
      yield edlEvent(number, { ...source, hasSound: false, size: { width: 0, height: 0 } }, [...frame, ...frame], reel);
      yield `${barless(noteOf(event))} |C:ResolveColorGreen |M:${barless(nameOf(event))} |D:${end - start}\n\n`;
    }
  },
};

/** A bar begins the next field. */
function barless(text: string): string {
  return text.replaceAll('|', '/');
}
