// Random directions that are the same at every run.

/** A direction of so many dimensions, of length 1, by its number. */
export function direction(number, dimensions) {
  let state = number * 7919 + 1;
  const next = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647 - 0.5;
  for (let i = 0; i < 8; i++) next();
  const vector = Float32Array.from({ length: dimensions }, next);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}
