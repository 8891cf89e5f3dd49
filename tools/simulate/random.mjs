// Random numbers that are the same in every run.

/** Numbers of 0 to 1, by the generator mulberry32 (Tommy Ettinger, public domain). */
export function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Seconds of a log-normal distribution with that median and 99th percentile. */
export function logNormal(random, { median, p99 }) {
  const sigma = Math.log(p99 / median) / 2.3263;
  return () => {
    const [u, v] = [1 - random(), random()];
    return median * Math.exp(sigma * Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * v));
  };
}

/** Whole numbers with a heavy tail: most are `least`, few reach `most` (Pareto). */
export function heavyTailed(random, { least, most, alpha }) {
  return () => Math.min(most, Math.floor(least * (1 - random()) ** (-1 / alpha)));
}
