import { normalise } from '../faces/embedding.js';

const { abs, max, round } = Math;

/**
 * Encodes the direction of a vector: base64 of one signed byte per value, scaled to the largest. It takes a quarter of
 * float32 and changes the direction by less than a degree (vector-code.spec.ts), while views of different places are
 * tens of degrees apart. A zero vector stays one.
 */
export function encodeDirection(vector: Iterable<number>): string {
  let largest = 0;
  for (const value of vector) largest = max(largest, abs(value));
  const factor = largest === 0 ? 0 : 127 / largest;
  const bytes = Int8Array.from(vector, (value) => round(value * factor));
  return Buffer.from(bytes.buffer).toString('base64');
}

/** Decodes to length 1, or all zeros. */
export function decodeDirection(code: string): Float32Array {
  const bytes = Buffer.from(code, 'base64');
  return normalise(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length));
}
