import { AditError } from '@adit/contracts';
import type { ByteRange } from './port.js';

/**
 * First and last byte (inclusive) of `range` within an object of `size` bytes; null for an empty object read whole. An end
 * past the object's is cut to it. Throws RANGE_NOT_SATISFIABLE when it starts past the end, VALIDATION when it is no range.
 */
export function resolveRange(range: ByteRange | undefined, size: number): { start: number; end: number } | null {
  if (range === undefined) return size === 0 ? null : { start: 0, end: size - 1 };
  const { start, end = size - 1 } = range;
  const isRange =
    Number.isSafeInteger(start) &&
    start >= 0 &&
    (range.end === undefined || (Number.isSafeInteger(end) && end >= start));
  if (!isRange) {
    throw new AditError(
      'VALIDATION',
      `${start}-${range.end ?? ''} is not a byte range. Give whole numbers, start <= end.`,
    );
  }
  if (start >= size) {
    throw new AditError('RANGE_NOT_SATISFIABLE', `The object has ${size} bytes; the range starts at ${start}.`);
  }
  return { start, end: Math.min(end, size - 1) };
}
