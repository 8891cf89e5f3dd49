import { randomUUID } from 'node:crypto';
import { AditError } from '@adit/contracts';
import { LockedJob, sourceError } from '@adit/jobs';
import { unrecordable, type LiveHead, type LiveRun, type SoundHead } from '@adit/media';
import { backoffDelay, createLogger, pause } from '@adit/runtime';
import { recordedUntil, type ClaimedStream } from '@adit/streams';
import type { DataSource } from 'typeorm';
import { recordedBytes, recordedSegments, recordingFailures } from '../metrics.js';
import { Spool } from '../spool.js';
import type { StreamClock } from '../stream-clock.js';
import { RecordedRun, type PlacedSegment } from './recorded-run.js';
import { RecordedSound } from './recorded-sound.js';
import {
  RecordingOver,
  SegmentStore,
  StorageFull,
  type SegmentStoreDependencies,
  type SpooledSegment,
} from './segment-store.js';

const log = createLogger('recorder');

interface ArchiveDependencies extends SegmentStoreDependencies {
  db: DataSource;
  /** Bytes of segments that wait in memory while they cannot be stored. */
  spoolBytes: number;
  /** Folder for private files. */
  workDirectory: string;
}

/** The part of a stream whose job gets the segments. */
interface RecordedPart {
  stream: ClaimedStream;
  store: SegmentStore;
  /** Time of the clock at which it begins. */
  startUs: number;
}

/** A line for the errors of a job. */
type Note = Pick<ClaimedStream, 'jobId' | 'shown'> & { line: string };

/** Waits before a segment is stored again. */
const STORE_AGAIN = { baseMs: 500, maxMs: 10_000 };
/** Time between segments, in microseconds, that is no hole: durations are rounded. */
const UNNOTICED_US = 100_000;

/**
 * The recording of one stream: copies its runs into segments and stores them. It never holds up the stream and never
 * throws: what cannot be recorded is a hole, which the errors of the job name.
 */
export class Archive {
  private readonly spool: Spool<SpooledSegment>;
  private readonly stopped = new AbortController();
  private storing: Promise<void> = Promise.resolve();
  private run: RecordedRun | null = null;
  /** The reading of the runs so far, in order. */
  private reading: Promise<void> = Promise.resolve();
  /** Null until the stream is held. */
  private part: RecordedPart | null = null;
  /** Time of the clock up to which it is recorded; null until that is known. */
  private untilUs: number | null = null;
  /** The same with what waits to be stored. */
  private takenUs: number | null = null;
  /** What the segment that was stored last belongs to. */
  private storedRun: object | null = null;
  /** Reason why nothing is recorded from a stream time on. */
  private hole: { reason: string; fromUs: number } | null = null;
  /** Lines for the errors of the job that are not stored yet. */
  private notes: Note[] = [];
  private noting: Promise<void> = Promise.resolve();

  /** @param stream - may be held by another recorder yet: segments wait until `hold` */
  constructor(
    private readonly deps: ArchiveDependencies,
    private readonly stream: ClaimedStream,
    private readonly clock: StreamClock,
  ) {
    this.spool = new Spool(deps.spoolBytes);
  }

  /** Stores from now on, under the lease of this claim. */
  hold(stream: ClaimedStream): void {
    this.part = { stream, store: new SegmentStore(this.deps, stream), startUs: 0 };
    this.storing = this.storeAll();
  }

  /** The next part has begun, at a time of the clock: segments belong to the part that runs when they are stored. */
  goOn(stream: ClaimedStream, startUs: number): void {
    this.part = { stream, store: new SegmentStore(this.deps, stream), startUs };
    // Nothing is recorded of its beginning, either.
    if (this.hole !== null) this.nameHole(this.hole, this.part);
  }

  /** Returns the sound of a run that comes apart from its pictures; null where none does, or they are not recorded. */
  soundOf(head: LiveHead | SoundHead, { sound: open, statedTime, clockOffset }: LiveRun): RecordedSound | null {
    if (open === undefined || head.kind === 'sound' || unrecordable(head.facts) !== null) return null;
    if (head.facts.audioStreams.length > 0) return null;
    const pictures = { start: head.start, statedTime, clockOffset };
    return new RecordedSound({ open, pictures, directory: this.deps.workDirectory });
  }

  /**
   * Begins to copy a run. Returns what the bytes are shown to; undefined where it cannot be recorded.
   *
   * @param sound - of `soundOf`, which somebody reads
   */
  async begin(
    head: LiveHead | SoundHead,
    { container }: LiveRun,
    sound: RecordedSound | null = null,
  ): Promise<((bytes: Buffer) => void) | undefined> {
    this.endRun();
    if (head.kind === 'sound') {
      this.lose('the stream has no pictures.');
      return undefined;
    }
    const refusal = unrecordable(head.facts);
    if (refusal !== null) {
      this.lose(refusal);
      return undefined;
    }
    const run = (this.run = new RecordedRun(head, container, (reason) => this.lose(reason), sound));
    await run.start();
    this.reading = this.reading.then(() => this.read(run));
    return run.tap;
  }

  /** The decoder has placed a picture of the run; see `RecordedRun.see`. */
  see(runUs: number, us: number): void {
    this.run?.see(runUs, us);
  }

  endRun(): void {
    this.run?.end();
    this.run = null;
  }

  /** Ends the recording: what was copied is stored within so many milliseconds, or left out. */
  async finish(milliseconds: number): Promise<void> {
    this.endRun();
    const timer = setTimeout(() => this.stopped.abort(), milliseconds);
    await this.reading;
    this.spool.end();
    await this.storing;
    await this.note();
    clearTimeout(timer);
  }

  private async read(run: RecordedRun): Promise<void> {
    try {
      for await (const segment of run) this.take(segment);
    } catch (error) {
      this.lose(AditError.from(error).message);
    }
  }

  private take(segment: PlacedSegment): void {
    const time = this.clock.timeAt(segment.fromUs);
    const timeStart = Number.isFinite(time) ? new Date(time) : new Date();
    this.takenUs = segment.fromUs + segment.durationUs;
    const [first] = this.spool.push({ ...segment, id: randomUUID(), timeStart }, segment.bytes.length);
    if (first !== undefined) this.lose('segments could not be stored in time.', first.fromUs);
  }

  private async storeAll(): Promise<void> {
    const { signal } = this.stopped;
    const isOver = (): boolean => signal.aborted;
    for await (const segment of this.spool) {
      if (isOver()) return;
      try {
        await this.storeOne(segment);
      } catch (error) {
        if (error instanceof RecordingOver) return this.stopped.abort();
        if (isOver()) return;
        recordingFailures.inc();
        this.lose(reasonOf(error), segment.fromUs);
        await this.note();
      }
    }
  }

  private async storeOne(segment: SpooledSegment): Promise<void> {
    const { signal } = this.stopped;
    let tried: RecordedPart | null = null;
    for (let failures = 0; ;) {
      const { part } = this;
      if (part === null) return;
      try {
        // An attempt whose end was not heard of may have stored it before the part ended.
        if (tried !== null && tried !== part && (await tried.store.settle(segment)))
          return await this.stored(segment, tried);
        tried = part;
        this.untilUs ??= part.startUs + (await recordedUntil(this.deps.db, part.stream.jobId));
        const { fromUs, durationUs, run } = segment;
        // A playlist that is opened again repeats its last segments.
        if (fromUs + durationUs / 2 < this.untilUs) return;
        const isNew = run !== this.storedRun || fromUs - this.untilUs > UNNOTICED_US;
        await part.store.store({ ...segment, fromUs: fromUs - part.startUs }, isNew);
        return await this.stored(segment, part);
      } catch (error) {
        if (error instanceof RecordingOver || AditError.from(error).code !== 'UNAVAILABLE') throw error;
        recordingFailures.inc();
        await pause(backoffDelay(++failures, STORE_AGAIN), signal);
      }
    }
  }

  private stored({ fromUs, durationUs, run, bytes }: SpooledSegment, part: RecordedPart): Promise<void> {
    this.untilUs = fromUs + durationUs;
    this.storedRun = run;
    recordedSegments.inc();
    recordedBytes.inc(bytes.length);
    this.endHole(fromUs, part);
    return this.note();
  }

  /** A segment of that time was stored. One before a hole, which waited, does not end it. */
  private endHole(fromUs: number, { stream, startUs }: RecordedPart): void {
    if (this.hole === null || fromUs < this.hole.fromUs) return;
    const { jobId, shown } = stream;
    this.notes.push({ jobId, shown, line: `the recording goes on at ${seconds(fromUs - startUs)}` });
    this.hole = null;
  }

  /** Nothing is recorded from a time of the clock on, until a later segment is stored. Default: from what was copied last. */
  private lose(reason: string, fromUs = this.takenUs ?? this.untilUs ?? this.clock.endUs): void {
    if (this.hole?.reason === reason) return;
    this.hole = { reason, fromUs };
    this.nameHole(this.hole, this.part ?? { stream: this.stream, startUs: 0 });
  }

  /** Notes a hole for the job of a part, in the time of that. */
  private nameHole(
    { reason, fromUs }: { reason: string; fromUs: number },
    { stream, startUs }: Pick<RecordedPart, 'stream' | 'startUs'>,
  ): void {
    const { jobId, shown } = stream;
    const from = seconds(Math.max(fromUs - startUs, 0));
    this.notes.push({ jobId, shown, line: `from ${from} on nothing is recorded: ${reason}` });
    log.warn({ jobId, reason }, 'a live stream is not recorded');
    if (this.notes.length === 1) void this.note();
  }

  /** Adds the notes to the errors of the job, one after the other; what cannot be stored now waits for the next segment. */
  private note(): Promise<void> {
    return (this.noting = this.noting.then(() => this.writeNotes()));
  }

  private async writeNotes(): Promise<void> {
    const notes = this.notes.splice(0);
    for (const jobId of new Set(notes.map((note) => note.jobId))) {
      const own = notes.filter((note) => note.jobId === jobId);
      try {
        await this.deps.outbox.transaction(async (manager) => {
          const locked = await LockedJob.take(manager, jobId);
          await locked?.addErrors(own.map(({ shown, line }) => sourceError(shown, line)));
        });
      } catch (error) {
        this.notes.unshift(...own);
        log.warn({ jobId, err: error }, 'a hole in a recording could not be noted; it is noted with the next segment');
      }
    }
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof StorageFull) return 'the storage quota of the workspace is used up.';
  return AditError.from(error).message;
}

function seconds(us: number): string {
  return `${(us / 1e6).toFixed(1)} s`;
}
