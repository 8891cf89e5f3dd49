import { formatTimecode, parseTimecode } from '@adit/contracts';
import type { EditEvent, EditList } from '../edit-list.js';

/** Frames since 00:00:00:00 of the first frame of what is put together, which begins at an hour, as editors expect. */
export function recordStart({ rate }: Pick<EditList, 'rate'>): number {
  return parseTimecode('01:00:00:00', rate);
}

/** Timecode of a frame of the event's source, counted from its first. */
export function sourceTimecode({ source }: EditEvent, frame: number): string {
  return formatTimecode(source.firstFrame + frame, source.rate);
}
