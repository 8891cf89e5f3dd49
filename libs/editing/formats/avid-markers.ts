import type { EditFormat } from '../edit-format.js';
import { nameOf, noteOf } from '../shown.js';
import { sourceTimecode } from './timecodes.js';

/**
 * Markers of a clip as Media Composer exports and imports them (Tools > Markers, text): name, timecode, track, colour, comment and
 * length in frames, with tabs between.
 */
export const avidMarkers: EditFormat<'avid_markers'> = {
  name: 'avid_markers',
  mimeType: 'text/plain; charset=utf-8',
  extension: 'txt',
  layout: 'in place',
  mixesRates: false,
  needsSource: true,
  passes: 1,
  async *write({ events }) {
    for await (const event of events()) {
      const { source, start, end } = event;
      const track = source.size === null ? 'A1' : 'V1';
      const comment = `${nameOf(event)}: ${noteOf(event)}`;
      yield [nameOf(event), sourceTimecode(event, start), track, 'green', comment, end - start].join('\t') + '\n';
    }
  },
};
