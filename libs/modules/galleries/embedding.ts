import { endianness } from 'node:os';
import { AditError } from '@adit/contracts';

const { max, min, sqrt } = Math;

/** Decodes little-endian float32 in base64. Throws INTERNAL when the bytes are no floats. */
export function decodeEmbedding(base64: string): Float32Array {
  return floatsOf(Buffer.from(base64, 'base64'));
}

export function encodeEmbedding(values: ArrayLike<number>): string {
  return bytesOf(values).toString('base64');
}

/** Reads little-endian float32 values, independent of the machine's byte order and the buffer's alignment. */
export function floatsOf(bytes: Buffer): Float32Array {
  if (bytes.length % 4 !== 0)
    throw new AditError('INTERNAL', `An embedding of ${bytes.length} bytes holds no float32s.`);
  const aligned = Buffer.from(new ArrayBuffer(bytes.length));
  bytes.copy(aligned);
  if (endianness() === 'BE') aligned.swap32();
  return new Float32Array(aligned.buffer);
}

export function bytesOf(values: ArrayLike<number>): Buffer {
  const bytes = Buffer.from(Float32Array.from(values).buffer);
  return endianness() === 'BE' ? bytes.swap32() : bytes;
}

/** Normalises to length 1; null for length 0. */
export function normalised(values: ArrayLike<number>): Float32Array | null {
  const length = Math.sqrt(dot(values, values));
  return length > 0 && Number.isFinite(length) ? scaled(values, 1 / length) : null;
}

export function scaled(values: ArrayLike<number>, factor: number): Float32Array {
  return Float32Array.from(values, (value) => value * factor);
}

export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- compared by the thousand: vectors of one network are of one length
  for (let index = 0; index < a.length; index += 1) sum += a[index]! * b[index]!;
  return sum;
}

/** Returns ‖a − b‖, 0..2, of two vectors of length 1 with the dot product `cosine`. */
export function distanceOf(cosine: number): number {
  return sqrt(max(0, 2 - 2 * min(1, max(-1, cosine))));
}

/** Returns max(0, 1 − d²/2): the cosine, never below 0. */
export function similarityOf(distance: number): number {
  return Math.max(0, 1 - (distance * distance) / 2);
}
