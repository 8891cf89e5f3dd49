import { AditError } from '@adit/contracts';
import {
  archiveRun,
  openEntry,
  type ArchivedSegment,
  type LiveHead,
  type LiveRun,
  type RunArchive,
  type RunEntry,
} from '@adit/media';
import { backoffDelay, pause } from '@adit/runtime';
import type { RecordedSound } from './recorded-sound.js';
import { RunTimes } from './run-times.js';

/** Time that ffmpeg may take for the rest of a run once that has ended. */
const REST_MILLISECONDS = 5_000;
/** Waits before a run whose copying has ended is copied again. */
const COPY_AGAIN = { baseMs: 1_000, maxMs: 60_000 };
/** Change of the distance of both clocks, in microseconds, behind which a player has to begin anew: it jumped. */
const JUMP_US = 100_000;
/** Period of the clock of a transport stream, 33 bits of 90 kHz, in microseconds. */
const PERIOD_US = (2 ** 33 / 90_000) * 1e6;

/** A segment with its place in the stream. */
export interface PlacedSegment extends ArchivedSegment {
  /** Stream time of its first picture in microseconds. */
  fromUs: number;
  /** The same for segments that go on from each other. */
  run: object;
}

/**
 * Copies one run of a stream beside its decoder, and places its segments by what the decoder has placed. Copying that ends
 * before the run begins again. Whoever feeds it never waits.
 */
export class RecordedRun {
  private readonly times = new RunTimes();
  private readonly entry: RunEntry;
  /** Null while nothing copies. */
  private archive: RunArchive | null = null;
  /** It waits for the bytes that it may begin with. */
  private isEntering = false;
  private readonly over = new AbortController();

  /**
   * @param lost - called with the reason when the run is not copied for a while, though it goes on
   * @param sound - that comes apart from the pictures; null where none does
   */
  constructor(
    private readonly head: Pick<LiveHead, 'facts' | 'start'>,
    private readonly container: LiveRun['container'],
    private readonly lost: (reason: string) => void,
    private readonly sound: RecordedSound | null = null,
  ) {
    this.entry = openEntry(container);
  }

  /** Begins with the run. A copy that cannot be started now is tried again later. */
  async start(): Promise<void> {
    await this.open().catch((error: unknown) => this.lost(AditError.from(error).message));
  }

  /** Bytes of the run on their way to the decoder. */
  readonly tap = (bytes: Buffer): void => {
    const first = this.entry.take(bytes, this.isEntering);
    if (this.archive === null) return;
    if (this.isEntering && first === null) return;
    const isTaken = this.archive.take(this.isEntering && first !== null ? first : bytes);
    this.isEntering = false;
    // Its segments end with what it has.
    if (!isTaken) this.archive = null;
  };

  /** The decoder has placed a picture: its time on the clock of the run, and on that of the stream. */
  see(runUs: number, us: number): void {
    this.times.see(runUs, us);
    this.sound?.see(runUs);
  }

  /** No more bytes follow. What ffmpeg has left comes soon, or never. */
  end(): void {
    if (this.over.signal.aborted) return;
    this.over.abort();
    this.times.end();
    const { archive } = this;
    this.archive = null;
    archive?.end();
    // A run of which nothing was decoded has no place.
    if (this.times.latestUs === -Infinity) archive?.stop();
    const stop = (): void => {
      archive?.stop();
      // Nobody may have begun to read this.
      this.sound?.end();
    };
    setTimeout(stop, REST_MILLISECONDS).unref();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<PlacedSegment> {
    try {
      yield* this.copies();
    } finally {
      this.sound?.end();
    }
  }

  private async *copies(): AsyncGenerator<PlacedSegment> {
    const { signal } = this.over;
    for (let failures = 0; ;) {
      const { archive } = this;
      for await (const segment of this.copied(archive)) {
        failures = 0;
        yield segment;
      }
      if (signal.aborted) return;
      this.archive = null;
      try {
        await pause(backoffDelay(++failures, COPY_AGAIN), signal);
        this.isEntering = true;
        await this.open();
      } catch (error) {
        if (this.over.signal.aborted) return;
        this.lost(AditError.from(error).message);
      }
    }
  }

  private async open(): Promise<void> {
    const archive = await archiveRun(this.head, this.container);
    if (this.over.signal.aborted) archive.stop();
    else this.archive = archive;
  }

  /** Yields the segments of one copying, to its end. */
  private async *copied(archive: RunArchive | null): AsyncGenerator<PlacedSegment> {
    // One that could not be started has told why.
    if (archive === null) return;
    let run = {};
    let distance: number | null = null;
    let header: Buffer | null = null;
    try {
      for await (const segment of archive.segments) {
        const placed = await this.placed(segment, archive);
        if (placed === null) return;
        const { startUs, fromUs, init } = placed;
        if (distance !== null && Math.abs(fromUs - startUs - distance) > JUMP_US) run = {};
        // Sound has come, or another.
        if (header !== null && !header.equals(init)) run = {};
        header = init;
        distance = fromUs + placed.durationUs - startUs - segment.durationUs;
        yield { ...placed, run };
      }
      if (!this.over.signal.aborted) this.lost('the copy of the stream did not keep up.');
    } catch (error) {
      this.lost(AditError.from(error).message);
    }
  }

  /** Places a segment; null where nothing of the run was decoded. */
  private async placed(segment: ArchivedSegment, { isBehind }: RunArchive): Promise<Omit<PlacedSegment, 'run'> | null> {
    const { times } = this;
    await times.reached(segment.startUs + segment.durationUs);
    const startUs = this.container === 'mpegts' ? near(segment.startUs, times.latestUs) : segment.startUs;
    const hasEnded = (): boolean => this.over.signal.aborted;
    const heard = (await this.sound?.addTo(segment, startUs, { hasEnded, isBehind })) ?? segment;
    const [fromUs, endUs] = [times.at(startUs), times.at(startUs + segment.durationUs)];
    if (fromUs === null || endUs === null) return null;
    times.forget(startUs);
    // Its last picture is shown as long as a jump of the run's clock behind it says.
    return {
      ...heard,
      startUs,
      fromUs: Math.round(fromUs),
      durationUs: Math.min(segment.durationUs, Math.round(endUs - fromUs)),
    };
  }
}

/** Returns the time that is nearest to another among those that a transport stream tells alike. */
function near(us: number, other: number): number {
  return Number.isFinite(other) ? us + Math.round((other - us) / PERIOD_US) * PERIOD_US : us;
}
