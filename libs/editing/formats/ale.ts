import { formatTimecode } from '@adit/contracts';
import type { EditFormat } from '../edit-format.js';
import type { EditEvent, EditSource } from '../edit-list.js';
import { nameOf, noteOf, oneLine } from '../shown.js';
import { sourceTimecode } from './timecodes.js';

/** The longest name of a clip. */
const MAX_NAME = 32;

const COLUMNS = ['Name', 'Tracks', 'Start', 'End', 'Duration', 'Tape', 'Source File', 'Source Path', 'COMMENTS'];

/**
 * A log of clips as Media Composer imports it (Avid Log Exchange, "Shot log files"): each event a clip of its tape, out-points
 * exclusive, drop-frame with a semicolon. Readers take 24 frames a second where the heading does not say otherwise.
 */
export const ale: EditFormat<'ale'> = {
  name: 'ale',
  mimeType: 'text/plain; charset=utf-8',
  extension: 'ale',
  layout: 'listed',
  mixesRates: false,
  needsSource: true,
  passes: 1,
  async *write({ rate: { fps }, sources, events }) {
    yield `Heading\nFIELD_DELIM\tTABS\nVIDEO_FORMAT\t${videoFormatOf(sources)}\nAUDIO_FORMAT\t48khz\n`;
    yield `FPS\t${Number((fps.num / fps.den).toFixed(3))}\n\nColumn\n${COLUMNS.join('\t')}\n\nData\n`;
    for await (const event of events()) yield `${rowOf(event).join('\t')}\n`;
  },
};

function rowOf(event: EditEvent): string[] {
  const { source, start, end } = event;
  return [
    oneLine(nameOf(event), MAX_NAME),
    tracksOf(source),
    sourceTimecode(event, start),
    sourceTimecode(event, end),
    formatTimecode(end - start, source.rate),
    oneLine(source.tape, MAX_NAME),
    oneLine(source.name),
    oneLine(source.location),
    noteOf(event),
  ];
}

function tracksOf({ size, hasSound }: EditSource): string {
  if (size === null) return 'A1A2';
  return hasSound ? 'VA1A2' : 'V';
}

/** The format of a project for the first picture; a log of sound alone needs one all the same. */
function videoFormatOf(sources: readonly EditSource[]): string {
  const size = sources.find((source) => source.size !== null)?.size ?? { width: 1920, height: 1080 };
  switch (`${size.width}x${size.height}`) {
    case '1920x1080':
    case '1440x1080':
      return '1080';
    case '1280x720':
    case '960x720':
      return '720';
    case '720x576':
      return 'PAL';
    case '720x480':
    case '720x486':
      return 'NTSC';
    default:
      return 'CUSTOM';
  }
}
