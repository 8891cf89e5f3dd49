import type { RunTimes } from '@adit/database';

/** Upper bounds of the classes in seconds: two per doubling from half a millisecond on; the last has no bound. */
const BOUNDS = Array.from({ length: 42 }, (_, at) => 0.0005 * 2 ** (at / 2));

export function noRunTimes(): RunTimes {
  return { counts: [], seconds: 0 };
}

/** Adds `rows` that took `seconds` together. */
export function addRun(times: RunTimes, rows: number, seconds: number): void {
  const each = seconds / Math.max(1, rows);
  const found = BOUNDS.findIndex((bound) => each <= bound);
  const at = found === -1 ? BOUNDS.length : found;
  while (times.counts.length <= at) times.counts.push(0);
  times.counts[at] = (times.counts[at] ?? 0) + rows;
  times.seconds += seconds;
}

/** Adds up both; null where neither ran. */
export function totalRuns(one: RunTimes | null, other: RunTimes | null): RunTimes | null {
  if (one === null || other === null) return one ?? other;
  const length = Math.max(one.counts.length, other.counts.length);
  const counts = Array.from({ length }, (_, at) => (one.counts[at] ?? 0) + (other.counts[at] ?? 0));
  return { counts, seconds: one.seconds + other.seconds };
}

/** Returns mean and quantiles in seconds, the latter interpolated within their class; null where nothing ran. */
export function latencyOf(times: RunTimes | null) {
  const rows = times?.counts.reduce((sum, count) => sum + count, 0) ?? 0;
  if (times === null || rows === 0) return null;
  const quantile = (share: number): number => {
    let before = 0;
    for (const [at, count] of times.counts.entries()) {
      if (count > 0 && before + count >= share * rows) {
        const low = at === 0 ? 0 : (BOUNDS[at - 1] ?? 0);
        const high = BOUNDS[at] ?? 2 * low;
        return rounded(low + ((high - low) * (share * rows - before)) / count);
      }
      before += count;
    }
    return 0;
  };
  return {
    rows,
    mean_seconds: rounded(times.seconds / rows),
    p50_seconds: quantile(0.5),
    p95_seconds: quantile(0.95),
  };
}

function rounded(seconds: number): number {
  return Number(seconds.toPrecision(4));
}
