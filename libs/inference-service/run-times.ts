import type { RunTimes } from '@adit/database';
import { addRun, noRunTimes } from '@adit/model-store';

/** How long runs of the versions took that are watched, since they were last asked about. */
export class WatchedRuns {
  private readonly times = new Map<string, RunTimes>();

  /** By digest. Those that are watched already go on, others are forgotten. */
  watch(digests: ReadonlySet<string>): void {
    for (const digest of this.times.keys()) if (!digests.has(digest)) this.times.delete(digest);
    for (const digest of digests) if (!this.times.has(digest)) this.times.set(digest, noRunTimes());
  }

  /** A version has run `rows` in so many seconds. */
  ran(digest: string, rows: number, seconds: number): void {
    const times = this.times.get(digest);
    if (times !== undefined) addRun(times, rows, seconds);
  }

  /** What came since the last time; null when nothing did. */
  take(digest: string): RunTimes | null {
    const times = this.times.get(digest);
    if (times === undefined || times.counts.length === 0) return null;
    this.times.set(digest, noRunTimes());
    return times;
  }
}
