import { AditError } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import type { DataSource } from 'typeorm';
import { renewLease, type Held } from './leased-rows.js';
import { leasesLost } from './metrics.js';

const log = createLogger('leases');

/** Interval of renewals of work with progress; short work writes nothing more. */
const PROGRESS_MILLISECONDS = 1_000;

interface LeaseOptions {
  /** Time that it lasts without renewal. */
  seconds: number;
  /** Kind of work, for metrics. */
  kind: string;
  /** Aborts the attempt when the process shuts down. */
  signal?: AbortSignal;
  /** Progress, 0..1, which is written with each renewal, into `progress`. */
  progress?: (() => number) | undefined;
}

/**
 * Heartbeat of an attempt: renews its lease. Its signal aborts when another process has begun the next one, or nobody
 * waits any more.
 */
export class Lease {
  private readonly abort = new AbortController();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly follow = () => this.abort.abort(this.options.signal?.reason);
  /** Progress as last written. */
  private progress = 0;
  private renewing = false;
  lost = false;

  constructor(
    private readonly db: Pick<DataSource, 'query'>,
    private readonly held: Held,
    private readonly options: LeaseOptions,
  ) {
    const { seconds, signal, progress } = options;
    if (signal?.aborted === true) this.follow();
    signal?.addEventListener('abort', this.follow);
    this.timers.push(setInterval(() => void this.renew(), (seconds * 1000) / 3));
    if (progress === undefined) return;
    this.timers.push(setInterval(() => this.report(progress), PROGRESS_MILLISECONDS));
  }

  get signal(): AbortSignal {
    return this.abort.signal;
  }

  end(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.options.signal?.removeEventListener('abort', this.follow);
  }

  private report(progress: () => number): void {
    // A slow database is not queried again before it has answered.
    if (!this.renewing && progress() > this.progress) void this.renew();
  }

  private async renew(): Promise<void> {
    this.renewing = true;
    const { seconds, kind, progress } = this.options;
    if (progress !== undefined) this.progress = progress();
    const also = progress === undefined ? null : { set: 'progress = greatest(progress, $2)', value: this.progress };
    try {
      if ((await renewLease(this.db, this.held, seconds, also)) || this.signal.aborted) return;
      this.lost = true;
      leasesLost.inc({ work: kind });
      this.abort.abort(new AditError('CONFLICT', 'Nobody waits for this attempt any more.'));
    } catch (error) {
      // While the database is unavailable no other process can take it over either.
      log.debug({ err: error }, 'a lease could not be renewed');
    } finally {
      this.renewing = false;
    }
  }
}

/** Runs work while the lease of a claim is renewed. */
export async function keepingLease<T>(
  db: Pick<DataSource, 'query'>,
  held: Held,
  options: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = new Lease(db, held, options);
  try {
    return await work(lease);
  } finally {
    lease.end();
  }
}
