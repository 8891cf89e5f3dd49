import { formatTimecode } from '@adit/contracts';
import type { EditEvent, EditList } from '../edit-list.js';

/** What is put together begins at an hour, as editors expect. */
const FIRST_HOUR = 1;

/** Frames since 00:00:00:00 of the first frame of what is put together. */
export function recordStart({ rate }: Pick<EditList, 'rate'>): number {
  return FIRST_HOUR * 3600 * rate.nominal - droppedBefore(FIRST_HOUR, rate);
}

/** Frame numbers that drop-frame left out until then: 108 an hour at 29.97. */
function droppedBefore(hours: number, { nominal, dropFrame }: EditList['rate']): number {
  return dropFrame ? hours * 54 * Math.round(nominal / 15) : 0;
}

/** Timecode of a frame of the event's source, counted from its first. */
export function sourceTimecode({ source }: EditEvent, frame: number): string {
  return formatTimecode(source.firstFrame + frame, source.rate);
}
