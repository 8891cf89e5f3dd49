import { pipeline, Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { AditError } from '@adit/contracts';
import {
  archiveSound,
  audible,
  nextDistance,
  openHead,
  readSound,
  soundDistance,
  withSoundTrack,
  type ArchivedSegment,
  type LiveHead,
  type LiveRun,
  type SoundArchive,
  type SoundFragment,
} from '@adit/media';
import { createLogger, pause } from '@adit/runtime';

const log = createLogger('recorder');

/** Time that a segment waits for its sound while the stream runs, and at most once that has ended. */
const WAIT_MS = { running: 6000, ended: 1500 };
/** Seconds by which sound is read before its pictures. */
const AHEAD_SECONDS = 60;
/** Seconds of sound that wait for their pictures; the oldest are left out beyond that. */
const MOST_SECONDS = 120;
/** Bytes of it. */
const MOST_BYTES = 16 << 20;
/** Seconds by which sound may begin before its segment. */
const EARLY_SECONDS = 0.1;
const STEP_MS = 50;

/** A fragment with its place. */
interface PlacedFragment {
  fragment: SoundFragment;
  /** Seconds from the first picture. */
  at: number;
  /** Seconds that make its times those of the copy of the pictures. */
  shift: number;
}

interface RecordedSoundOptions {
  /** Opens the sound, see `LiveRun`. */
  open: NonNullable<LiveRun['sound']>;
  pictures: Pick<LiveHead, 'start'> & Pick<LiveRun, 'statedTime' | 'clockOffset'>;
  /** Folder for private files. */
  directory: string;
  /** Milliseconds that a segment waits for its sound. Default: 6000. */
  waitMs?: number;
}

/**
 * The sound of a run that comes apart from its pictures, for the recording of these. It is copied on its way to whoever
 * hears it, and pictures wait for it no longer than a few seconds.
 */
export class RecordedSound {
  private readonly ending = new AbortController();
  private fragments: PlacedFragment[] = [];
  /** Movie header of the latest sound; null before there is any. */
  private moov: Buffer | null = null;
  /** Seconds from the first picture up to which there is sound. */
  private until = -Infinity;
  /** Seconds from the first picture to the latest that was decoded. */
  private seen = 0;
  /** The last segment got its sound in time. */
  private isInTime = true;

  constructor(private readonly options: RecordedSoundOptions) {}

  /** Opens the sound for whoever hears it. */
  readonly open = (signal: AbortSignal): AsyncGenerator<LiveRun> => this.copiedRuns(signal);

  /** Reads it where nobody hears it, until the stream is stopped or the recording of its pictures has ended. */
  read(stopped: AbortSignal): void {
    const signal = AbortSignal.any([stopped, this.ending.signal]);
    void readSound(this.open, signal, async ({ body }) => {
      for await (const _ of body) while (this.until > this.seen + AHEAD_SECONDS) await pause(STEP_MS, signal);
    });
  }

  /** A picture was decoded, so many microseconds behind the first one. */
  see(runUs: number): void {
    this.seen = runUs / 1e6;
  }

  /** Seconds from the first picture up to which there is sound; negative infinity before there is any. */
  get reached(): number {
    return this.until;
  }

  /** The recording of its pictures has ended. */
  end(): void {
    this.ending.abort(new Error('The pictures have ended.'));
  }

  /**
   * Returns a segment of pictures with its sound; as it is where there is none.
   *
   * @param startUs - of the segment, where its own clock has begun anew
   * @param run - whether it has ended, and whether its pictures can wait no longer
   */
  async addTo(
    segment: ArchivedSegment,
    startUs: number,
    { hasEnded, isBehind }: { hasEnded: () => boolean; isBehind: () => boolean },
  ): Promise<ArchivedSegment> {
    const [from, end] = [startUs / 1e6 - EARLY_SECONDS, (startUs + segment.durationUs) / 1e6];
    const begun = Date.now();
    const { waitMs = WAIT_MS.running } = this.options;
    const isLate = (): boolean => Date.now() - begun > (hasEnded() ? Math.min(waitMs, WAIT_MS.ended) : waitMs);
    // Sound that is later than that is not waited for until it has caught up.
    while (this.isInTime && this.until < end && !isLate() && !isBehind()) await sleep(STEP_MS);
    this.isInTime = this.until >= end;
    const { moov } = this;
    if (moov === null) return segment;
    const own = this.fragments.filter(({ at, fragment }) => at >= from && at < end && fragment.moov.equals(moov));
    this.fragments = this.fragments.filter(({ at }) => at >= end);
    const behind = (segment.startUs - startUs) / 1e6;
    const shifted = own.map(({ fragment, shift }) => ({ fragment, shift: shift + behind }));
    return withSoundTrack(segment, moov, shifted);
  }

  private async *copiedRuns(signal: AbortSignal): AsyncGenerator<LiveRun> {
    let goesOn = false;
    for await (const run of this.options.open(signal)) {
      yield await this.copied(run, goesOn && run.gap === null, signal);
      goesOn = true;
    }
  }

  /** Copies a run of the sound while it is read. @param goesOn - behind one that ended without a gap */
  private async copied(run: LiveRun, goesOn: boolean, signal: AbortSignal): Promise<LiveRun> {
    const { directory, pictures } = this.options;
    const head = await openHead(run, { directory, signal, soundAlone: true, soundIsAll: true }).catch(
      (error: unknown) => {
        throw new AditError('SOURCE_UNAVAILABLE', AditError.from(error).message, { cause: error });
      },
    );
    const [stream] = audible(head.sounds);
    const sound = { ...run, start: head.start };
    const distance = goesOn ? nextDistance(sound, pictures, this.until) : soundDistance(sound, pictures, this.seen);
    if (stream === undefined || distance === null) return { ...run, body: head.body };
    const archive = await archiveSound(stream, run.container).catch((error: unknown) => {
      log.warn({ err: error }, 'the sound of a recording cannot be copied');
      // eslint-disable-next-line adit/no-lost-errors -- a copy that cannot be made takes the sound from no analysis
      return null;
    });
    // Whoever hears it needs no copy.
    if (archive === null) return { ...run, body: head.body };
    void this.collect(archive, distance - head.start);
    const body = new Transform({
      transform(bytes: Buffer, _encoding, done) {
        archive.take(bytes);
        done(null, bytes);
      },
    });
    pipeline(head.body, body, () => archive.end());
    return { ...run, body };
  }

  private async collect(archive: SoundArchive, distance: number): Promise<void> {
    try {
      for await (const fragment of archive.fragments) {
        const at = fragment.start + distance;
        // Times of another clock would leave out what is in time.
        if (!this.isNear(at) || !this.isNear(at + fragment.seconds)) continue;
        this.moov = fragment.moov;
        this.fragments.push({ fragment, at, shift: distance + this.options.pictures.start });
        this.until = Math.max(this.until, at + fragment.seconds);
        this.forget();
      }
    } catch (error) {
      log.warn({ err: error }, 'the sound of a recording cannot be copied');
    }
  }

  private isNear(seconds: number): boolean {
    return Math.abs(seconds - this.seen) <= MOST_SECONDS;
  }

  /** Leaves out the oldest of what waits beyond the limits. */
  private forget(): void {
    const { fragments } = this;
    let bytes = fragments.reduce((sum, { fragment }) => sum + fragment.bytes.length, 0);
    const isMuch = (at: number): boolean => bytes > MOST_BYTES || at <= this.until - MOST_SECONDS;
    for (let [first] = fragments; first !== undefined && isMuch(first.at); [first] = fragments) {
      bytes -= first.fragment.bytes.length;
      fragments.shift();
    }
  }
}
