import type { FloatTensor } from '../tensor.js';

/** Throws RangeError unless the first output of a picture has that many numbers. */
export function refuseLength(outputs: Readonly<Record<string, FloatTensor>>, dimensions: number): void {
  const [output] = Object.values(outputs);
  if (output?.data.length === dimensions) return;
  throw new RangeError(`It gives ${output?.data.length ?? 0} numbers, and an embedding of ${dimensions} is expected.`);
}
