import type { RunTimes } from '@adit/database';
import { addRun, noRunTimes } from '@adit/model-store';

/** Collects the durations of versions' runs per watcher since its last request. A version may have several watchers. */
export class WatchedRuns {
  /** By watcher, then by digest. */
  private readonly watched = new Map<string, Map<string, RunTimes>>();

  /** Replaces the watched digests by watcher. Those watched already continue, the rest is forgotten. */
  watch(wanted: ReadonlyMap<string, readonly string[]>): void {
    for (const watcher of this.watched.keys()) if (!wanted.has(watcher)) this.watched.delete(watcher);
    for (const [watcher, digests] of wanted) {
      const before = this.watched.get(watcher);
      this.watched.set(watcher, new Map(digests.map((digest) => [digest, before?.get(digest) ?? noRunTimes()])));
    }
  }

  /** Records that a version ran `rows` in that many seconds. */
  ran(digest: string, rows: number, seconds: number): void {
    for (const byDigest of this.watched.values()) {
      const times = byDigest.get(digest);
      if (times !== undefined) addRun(times, rows, seconds);
    }
  }

  /** Returns the runs since the watcher's last request; null without any. */
  take(watcher: string, digest: string): RunTimes | null {
    const byDigest = this.watched.get(watcher);
    const times = byDigest?.get(digest);
    if (byDigest === undefined || times === undefined || times.counts.length === 0) return null;
    byDigest.set(digest, noRunTimes());
    return times;
  }
}
