import { setTimeout as wait } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import { JOB_SETTINGS, LockedJob, type JobSettings } from '@adit/jobs';
import { keepingLease, Lease, MAX_ATTEMPTS, releaseRow } from '@adit/leases';
import { OBJECT_STORE, type ObjectStore } from '@adit/objects';
import { openLive } from '@adit/media';
import { BackgroundService, OutboxRelay } from '@adit/outbox';
import { backoffDelay, createLogger, pause } from '@adit/runtime';
import {
  endStream,
  isBehind,
  offerStream,
  reserveOffer,
  StreamClaims,
  SUCCESSION_SECONDS,
  takeOver,
  type ClaimedStream,
  type OfferedStream,
} from '@adit/streams';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RECORDER_CONFIG, WORK_DIRECTORY, type RecorderConfig } from './config.js';
import { StreamOver } from './stored-position.js';
import { streamsRead } from './metrics.js';
import { failStream, Recording } from './recording.js';

const log = createLogger('recorder');
const PERIOD_MILLISECONDS = 1000;
/** Time without a heartbeat after which another recorder takes a stream over. */
const LEASE_SECONDS = 15;
/** Time for which two recorders read a stream at most, once the successor has pictures. */
const OVERLAP_MILLISECONDS = 10_000;
/** Waits before the database is asked again. */
const ASK_AGAIN = { baseMs: 200, maxMs: 2_000 };
/** Pause after an attempt that failed for a reason of ours. */
const PAUSE_SECONDS = 5;

/** Claims live streams, and reads each until it ends, its job ends, or the process stops. */
@Injectable()
export class Recorder extends BackgroundService {
  private readonly claims: StreamClaims;
  private readonly reading = new Set<Promise<void>>();
  /** Streams that it holds. */
  private readonly held = new Set<ClaimedStream>();
  /** Ids of streams that it tries to take over. */
  private readonly succeeding = new Set<string>();
  private readonly shutdown = new AbortController();

  constructor(
    @Inject(DataSource) private readonly db: DataSource,
    @Inject(OutboxRelay) private readonly outbox: OutboxRelay,
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(RECORDER_CONFIG) private readonly config: RecorderConfig,
    @Inject(JOB_SETTINGS) private readonly settings: JobSettings,
    @Inject(WORK_DIRECTORY) private readonly workDirectory: string,
  ) {
    super('recorder', PERIOD_MILLISECONDS);
    this.claims = new StreamClaims(db, config);
  }

  /**
   * Offers all streams to other recorders, and reads on until they have taken them over or the time for it has passed;
   * those that are left are given back, and claimed with a gap of seconds.
   */
  async beforeApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    const { streamDrainSeconds } = this.config;
    if (streamDrainSeconds > 0 && this.held.size > 0) {
      await Promise.all([...this.held].map((stream) => this.offer(stream)));
      const time = new AbortController();
      await Promise.race([Promise.allSettled(this.reading), wait(streamDrainSeconds * 1000, undefined, time)]);
      time.abort();
    }
    this.shutdown.abort(new AditError('UNAVAILABLE', 'The recorder is shutting down.'));
    await Promise.allSettled(this.reading);
  }

  protected async round(): Promise<void> {
    const { streamsPerRecorder } = this.config;
    while (!this.stopping && this.reading.size < streamsPerRecorder) {
      const stream = await this.claims.claim(this.reading.size, LEASE_SECONDS);
      if (stream !== null) {
        this.keep(this.read(stream));
        continue;
      }
      const offer = await reserveOffer(this.db, this.config, [...this.succeeding]);
      if (offer === null) return;
      this.keep(this.succeed(offer));
    }
  }

  /** Counts a stream as read until then. */
  private keep(work: Promise<void>): void {
    const reading = work.finally(() => {
      this.reading.delete(reading);
      streamsRead.set(this.reading.size);
      this.nudge();
    });
    this.reading.add(reading);
    streamsRead.set(this.reading.size);
  }

  private async offer(stream: ClaimedStream): Promise<void> {
    await offerStream(this.db.manager, stream).catch((error: unknown) => {
      log.warn({ jobId: stream.jobId, err: error }, 'a live stream could not be offered to other recorders');
    });
  }

  /** Reads a claimed stream. Never throws. */
  private async read(stream: ClaimedStream): Promise<void> {
    const { shown: source } = stream;
    const recording = this.recording(stream);
    log.info({ jobId: stream.jobId, source }, 'reading a live stream');
    try {
      if (stream.attempt > MAX_ATTEMPTS) {
        return await this.fail(stream, 'Its recorder ended each time it was tried.');
      }
      const lease = { seconds: LEASE_SECONDS, kind: 'streams', signal: this.shutdown.signal };
      this.held.add(stream);
      await keepingLease(this.db, stream, lease, ({ signal }) => recording.run(signal));
      log.info({ jobId: recording.stream.jobId, source }, 'a live stream is over');
    } catch (error) {
      await this.giveBack(recording.stream, error);
    } finally {
      this.held.delete(stream);
    }
  }

  /** Reads a stream beside a recorder that shuts down, and takes it over. Never throws. */
  private async succeed(offer: OfferedStream): Promise<void> {
    const { jobId, shown } = offer.stream;
    log.info({ jobId, source: shown }, 'taking a live stream over');
    const stopping = new AbortController();
    const stop = (): void => stopping.abort(this.shutdown.signal.reason);
    this.shutdown.signal.addEventListener('abort', stop);
    // Others may try then, or its recorder has given it back.
    const late = setTimeout(() => stopping.abort(new StreamOver()), SUCCESSION_SECONDS * 1000);
    this.succeeding.add(offer.stream.key.id);
    const taken: { stream?: ClaimedStream; lease?: Lease } = {};
    const recording = this.recording(offer.stream, async (us) => {
      // From here on it may hold the lease, and what ends then would be the stream itself.
      clearTimeout(late);
      const stream = await this.takeOver(offer, us, stopping.signal);
      const lease = new Lease(this.db, stream, { seconds: LEASE_SECONDS, kind: 'streams' });
      lease.signal.addEventListener('abort', () => stopping.abort(lease.signal.reason));
      this.held.add(stream);
      Object.assign(taken, { stream, lease });
      // Those that were held when it began to shut down are offered already.
      if (this.stopping) await this.offer(stream);
      return stream;
    });
    try {
      await recording.run(stopping.signal);
      log.info({ jobId: recording.stream.jobId, source: shown }, 'a live stream is over');
    } catch (error) {
      if (taken.stream !== undefined) await this.giveBack(recording.stream, error);
      // The recorder that shuts down reads on, and another may try.
      else log.warn({ jobId, err: error }, 'a live stream could not be taken over');
    } finally {
      clearTimeout(late);
      this.succeeding.delete(offer.stream.key.id);
      this.shutdown.signal.removeEventListener('abort', stop);
      taken.lease?.end();
      if (taken.stream !== undefined) this.held.delete(taken.stream);
    }
  }

  /** Waits until all up to a time is stored, at most some seconds, and takes the lease. */
  private async takeOver(offer: OfferedStream, us: number, signal: AbortSignal): Promise<ClaimedStream> {
    const { manager } = this.db;
    const end = performance.now() + OVERLAP_MILLISECONDS;
    const isDue = async (): Promise<boolean> => performance.now() >= end || !(await isBehind(manager, offer, us));
    while (!(await whileUnavailable(isDue, signal))) await pause(200, signal);
    const stream = await whileUnavailable(() => takeOver(manager, offer, LEASE_SECONDS, this.config), signal);
    if (stream === null) throw new StreamOver();
    return stream;
  }

  private recording(stream: ClaimedStream, succeed: ((us: number) => Promise<ClaimedStream>) | null = null): Recording {
    const { db, outbox, objects, config, settings, workDirectory } = this;
    return new Recording({ db, outbox, objects, config, settings, workDirectory, open: openLive }, stream, succeed);
  }

  private async giveBack(stream: ClaimedStream, error: unknown): Promise<void> {
    await this.failed(stream, error).catch((problem: unknown) => {
      // Its lease runs out, and the next recorder begins where this one was.
      log.warn({ jobId: stream.jobId, err: problem }, 'a live stream could not be given back');
    });
  }

  private async failed(stream: ClaimedStream, error: unknown): Promise<void> {
    const problem = AditError.from(error);
    const blamed = !this.shutdown.signal.aborted && problem.code !== 'UNAVAILABLE';
    if (blamed) log.warn({ jobId: stream.jobId, err: error }, 'reading a live stream failed');
    // Nothing of another attempt that holds the stream by now is changed.
    if (blamed && problem.status < 500) return this.fail(stream, problem.message);
    await releaseRow(this.db, stream, this.shutdown.signal.aborted ? 0 : PAUSE_SECONDS, { blamed });
  }

  private fail(stream: ClaimedStream, reason: string): Promise<void> {
    return this.outbox.transaction(async (manager) => {
      const locked = await LockedJob.take(manager, stream.jobId);
      if (!(await endStream(manager, stream, 'failed')) || !locked?.isActive) return;
      await failStream(manager, locked, stream.sourceIndex, reason);
    });
  }
}

/** Asks the database again while it is away, for as long as a lease that was taken lasts. */
async function whileUnavailable<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  const end = performance.now() + LEASE_SECONDS * 1000;
  for (let failures = 0; ;) {
    try {
      return await ask();
    } catch (error) {
      if (AditError.from(error).code !== 'UNAVAILABLE' || performance.now() >= end) throw error;
      await pause(backoffDelay(++failures, ASK_AGAIN), signal);
    }
  }
}
