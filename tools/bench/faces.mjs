// Directions that lie as embeddings of faces do, for rows that need more people than there are photos of.
export const DIMENSIONS = 512;
/**
 * Decay of the variance from one axis to the next. Two directions differ in 256 of 512 signs, ±18, as measured for embeddings of
 * two people; random directions would differ by ±11.
 */
const AXES = 50;

// The same in every process: faces of one run lie among those that an earlier one has loaded.
const random = seeded(512);
const scatter = shuffled(DIMENSIONS);
const [before, after] = [signs(), signs()];

/** Somebody's face: a direction of its own. */
export function face() {
  const spread = new Float64Array(DIMENSIONS);
  for (let axis = 0; axis < DIMENSIONS; axis += 1) spread[axis] = Math.exp(-axis / AXES / 2) * normal() * before[axis];
  // Turned twice, so that no value of a vector tells more than another.
  turn(spread);
  const turned = new Float64Array(DIMENSIONS);
  for (let at = 0; at < DIMENSIONS; at += 1) turned[scatter[at]] = spread[at] * after[at];
  turn(turned);
  return unit(turned);
}

/** Another picture of somebody, `distance` (euclidean, 0..2) away. */
export function view(of, distance) {
  const noise = face();
  const along = noise.reduce((sum, value, at) => sum + value * of[at], 0);
  const away = unit(noise.map((value, at) => value - along * of[at]));
  const cosine = 1 - distance ** 2 / 2;
  const sine = Math.sqrt(1 - cosine ** 2);
  return unit(Array.from(of, (value, at) => cosine * value + sine * away[at]));
}

/** Vectors one after the other, as PostgreSQL sends a real[]: text would take minutes to read. */
export function binaryOf(vectors) {
  const bytes = Buffer.alloc(20 + vectors.length * DIMENSIONS * 8);
  const FLOAT = 700;
  for (const [at, value] of [1, 0, FLOAT, vectors.length * DIMENSIONS, 1].entries()) bytes.writeInt32BE(value, 4 * at);
  let at = 20;
  for (const vector of vectors) {
    for (const value of vector) {
      bytes.writeInt32BE(4, at);
      bytes.writeFloatBE(value, at + 4);
      at += 8;
    }
  }
  return bytes;
}

/** Scales a vector to length 1. */
function unit(vector) {
  const length = Math.hypot(...vector);
  return Array.from(vector, (value) => value / length);
}

/** Nearly a normal deviate, fast. */
function normal() {
  return Math.random() + Math.random() + Math.random() - 1.5;
}

/** The Walsh-Hadamard transform: a rotation, but for its length. */
function turn(values) {
  for (let step = 1; step < values.length; step *= 2) {
    for (let from = 0; from < values.length; from += 2 * step) {
      for (let at = from; at < from + step; at += 1) {
        const [a, b] = [values[at], values[at + step]];
        values[at] = a + b;
        values[at + step] = a - b;
      }
    }
  }
}

function signs() {
  return Array.from({ length: DIMENSIONS }, () => (random() < 0.5 ? 1 : -1));
}

function shuffled(count) {
  const order = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other], order[at]];
  }
  return order;
}

/** Numbers of 0..1, the same for each seed (the linear congruence of Numerical Recipes). */
function seeded(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
