import type { RunTimes } from '@adit/database';
import { addRun, noRunTimes } from '@adit/model-store';

/** How long runs of versions took, since whoever watches them last asked. Several may watch one version. */
export class WatchedRuns {
  /** By who watches, then by digest. */
  private readonly watched = new Map<string, Map<string, RunTimes>>();

  /** Digests by who watches them. What is watched already goes on, the rest is forgotten. */
  watch(wanted: ReadonlyMap<string, readonly string[]>): void {
    for (const watcher of this.watched.keys()) if (!wanted.has(watcher)) this.watched.delete(watcher);
    for (const [watcher, digests] of wanted) {
      const before = this.watched.get(watcher);
      this.watched.set(watcher, new Map(digests.map((digest) => [digest, before?.get(digest) ?? noRunTimes()])));
    }
  }

  /** A version has run `rows` in so many seconds. */
  ran(digest: string, rows: number, seconds: number): void {
    for (const byDigest of this.watched.values()) {
      const times = byDigest.get(digest);
      if (times !== undefined) addRun(times, rows, seconds);
    }
  }

  /** What came since the same one last asked; null when nothing did. */
  take(watcher: string, digest: string): RunTimes | null {
    const byDigest = this.watched.get(watcher);
    const times = byDigest?.get(digest);
    if (byDigest === undefined || times === undefined || times.counts.length === 0) return null;
    byDigest.set(digest, noRunTimes());
    return times;
  }
}
