import type { Box, Detection } from '@adit/contracts';
import type { Mark } from './thinning.js';

const PARTS = 10_000;

/**
 * Encodes a detection as numbers: frame, then the box and any further fractions (a confidence) in ten-thousandths, to
 * keep the state small.
 */
export function boxMark(frame: number, box: Box, ...more: number[]): Mark {
  return [frame, ...[box.x, box.y, box.w, box.h, ...more].map((value) => Math.round(value * PARTS))] as Mark;
}

/** Decodes `boxMark`; `names` are those of the further fractions. */
export function boxDetection(type: string, [frame, ...values]: Mark, ...names: string[]): Detection {
  const data = ['x', 'y', 'w', 'h', ...names].map((name, index): [string, number] => [
    name,
    (values[index] ?? 0) / PARTS,
  ]);
  return { frame_index: frame, type, data: Object.fromEntries(data) };
}
