import type { EditEvent } from './edit-list.js';
import { sourceTimecode } from './formats/timecodes.js';
import { nameOf } from './shown.js';

/** Columns of a log of events for spreadsheets. */
export const LOG_COLUMNS = [
  'file',
  'reel',
  'in',
  'out',
  'frames',
  'rate',
  'module',
  'name',
  'speaker',
  'text',
  'location',
];

/** A row under LOG_COLUMNS; the out-point is exclusive. */
export function logRow(event: EditEvent): (string | number)[] {
  const { source, start, end, module, speaker, text } = event;
  const { num, den } = source.rate.fps;
  return [
    ...[source.name, source.tape, sourceTimecode(event, start), sourceTimecode(event, end), end - start],
    ...[Number((num / den).toFixed(3)), module, nameOf(event), speaker ?? '', text, source.location],
  ];
}
