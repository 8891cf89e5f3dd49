/** Network of specs. */
export const NETWORK = { name: 'face-embedding', digest: 'e'.repeat(64) };
const DIMENSIONS = 512;

/** Returns the same numbers of 0..1 for the same seed. */
export function numbers(seed: number): () => number {
  let state = (seed * 2_654_435_761 + 12_345) % 2_147_483_647 || 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

function unit(vector: number[]): number[] {
  const length = Math.hypot(...vector);
  return vector.map((value) => Number((value / length).toFixed(6)));
}

/** Returns a person's embedding: of length 1, about √2 from everybody else's. */
export function someFace(person: number, dimensions = DIMENSIONS): number[] {
  const next = numbers(person + 1);
  // Approximately normally distributed.
  return unit(Array.from({ length: dimensions }, () => next() + next() + next() + next() - 2));
}

/** Returns another view of a face, about `distance` away. */
export function lookAlike(face: readonly number[], distance: number, view: number): number[] {
  const away = someFace(1_000_000 + view, face.length);
  return unit(face.map((value, at) => value + distance * (away[at] ?? 0)));
}
