import type { Detection } from '@adit/contracts';

/** Boxes of all segments together, and of one. At 25 bytes each, a megabyte at the most. */
const ALL_BOXES = 40_000;
const BOXES_OF_ONE = 400;
/** Boxes on one frame; more are a blur. */
export const MAX_BOXES = 40;
/** Boxes are whole numbers of this part of the frame. */
const PARTS = 10_000;

/**
 * Positions of somebody or something while the film plays: frame, x, y, width, height, and so on in one row, in order
 * of frames; all but the frame in ten-thousandths of the displayed frame.
 */
export type Track = number[];

/** Number of boxes each of so many may keep, when what one does not need goes to the others. */
export function fairShare(counts: readonly number[], most = ALL_BOXES): number {
  let left = most;
  const ascending = [...counts].sort((a, b) => a - b);
  for (const [at, count] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at));
    if (count > share) return Math.min(BOXES_OF_ONE, share);
    left -= count;
  }
  return BOXES_OF_ONE;
}

/** The boxes of a segment, thinned evenly over its frames to at most `most`; a frame keeps all of its own or none. */
export function trackOf(detections: readonly Detection[], most: number): Track {
  const frames = new Map<number, number[]>();
  let count = 0;
  for (const { frame_index: frame, data } of detections) {
    const { x, y, w, h } = data;
    if (x === undefined || y === undefined || w === undefined || h === undefined) continue;
    const boxes = frames.get(frame) ?? [];
    frames.set(frame, boxes);
    if (boxes.length >= MAX_BOXES * 5) continue;
    boxes.push(frame, ...[x, y, w, h].map((part) => Math.round(part * PARTS)));
    count += 1;
  }
  const ordered = [...frames].sort(([a], [b]) => a - b).map(([, boxes]) => boxes);
  if (count <= most) return ordered.flat();
  // A frame may have several: those with the most decide how many frames there is room for.
  const widest = ordered.reduce((widest, boxes) => Math.max(widest, boxes.length / 5), 1);
  const kept = Math.floor(most / widest);
  if (kept < 2) return [];
  const last = ordered.length - 1;
  return Array.from({ length: kept }, (_, at) => ordered[Math.round((at * last) / (kept - 1))] ?? []).flat();
}
