/** Scales a vector to length 1; a zero vector stays zero. */
export function normalise(vector: Iterable<number> & ArrayLike<number>): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  const length = Math.sqrt(sum) || 1;
  return Float32Array.from(vector, (value) => value / length);
}

/** Returns the cosine of two normalised vectors, −1..1. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  // eslint-disable-next-line @typescript-eslint/no-non-null-assertion -- compared by the thousand: vectors of one network are of one length
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Returns the Euclidean distance of two normalised vectors, 0..2. */
export function distance(a: ArrayLike<number>, b: ArrayLike<number>): number {
  return Math.sqrt(Math.max(0, 2 - 2 * cosine(a, b)));
}

/** Encodes an embedding as little-endian float32 in base64, as observations store it. */
export function encodeEmbedding(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => bytes.writeFloatLE(value, i * 4));
  return bytes.toString('base64');
}

/** Decodes `encodeEmbedding`. Throws a RangeError when the bytes are no whole floats. */
export function decodeEmbedding(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length % 4 !== 0) throw new RangeError(`${bytes.length} bytes are not a whole number of float32 values.`);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4));
}
