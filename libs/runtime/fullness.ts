import type { Collect } from './prometheus.js';

/** After that somebody may have made room; whoever writes next finds out. */
const REMEMBERED_MS = 60_000;

/**
 * Remembers for a minute that a server refused something because its disk, or a quota, is used up: one that is full answers every
 * question and takes what is small, so no other way to ask tells it. Shown as a gauge, 0 or 1.
 */
export class Fullness {
  private refusal: { error: Error; until: number } | null = null;

  /** `observe` adds the gauge to the page of metrics. */
  constructor(observe: (collect: Collect) => unknown) {
    observe((gauge) => gauge.set(this.lastRefusal() === null ? 0 : 1));
  }

  refused(error: Error): void {
    this.refusal = { error, until: Date.now() + REMEMBERED_MS };
  }

  /** Check of readiness: throws the server's error while it is full. */
  check(): void {
    const error = this.lastRefusal();
    if (error !== null) throw error;
  }

  private lastRefusal(): Error | null {
    return this.refusal !== null && Date.now() < this.refusal.until ? this.refusal.error : null;
  }
}
