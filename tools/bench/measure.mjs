// Numbers from samples.

export const seconds = (milliseconds) => milliseconds / 1000;

/** Value at `share` (0..1) of the sorted samples, by the nearest rank. */
export function percentile(samples, share) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** Middle of the samples; of an even number the mean of the two in the middle. */
export function median(samples) {
  const sorted = [...samples].sort((a, b) => a - b);
  const half = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(half)] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Runs `work`; answers its wall time in seconds and what it answered. */
export async function timed(work) {
  const start = performance.now();
  const value = await work();
  return { seconds: seconds(performance.now() - start), value };
}

/** The difference between two readings of counters, by name. */
export function difference(before, after) {
  const names = Object.keys(after).filter((name) => after[name] !== (before[name] ?? 0));
  return Object.fromEntries(names.map((name) => [name, after[name] - (before[name] ?? 0)]));
}

export function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
