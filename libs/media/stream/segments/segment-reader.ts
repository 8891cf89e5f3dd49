import { Readable } from 'node:stream';
import { AditError } from '@adit/contracts';
import type { LiveOptions, LiveRun } from '../live-run.js';
import { Follower, type NextSegment } from './follower.js';
import { pause } from '@adit/runtime';
import type { MediaPlaylist, Segment } from './media-playlist.js';
import { LostSegment, readMap, readSegment } from './read-segment.js';
import type { SegmentClient, SegmentClientOptions } from './segment-client.js';
import { segmentKind } from './segment-kind.js';
import { lastingSound, soundStart, type PicturePlace } from './separate-sound.js';

const LEAST_POLL_MILLISECONDS = 500;
/** What playlists may state at most. */
const MOST_TARGET_SECONDS = 60;
const MOST_LOST_IN_A_ROW = 5;
const BUFFERED_BYTES = 256 << 10;

/**
 * Reads a live stream whose segments a server lists. It begins near the end of the list and reads each segment once and
 * in order. A segment that cannot be read, one that the server marks as a gap, and a window that has moved past the
 * reader are holes; each of them, a discontinuity, another initialisation section, and a stream that counts anew begin a
 * run.
 */
export function readSegments(
  options: LiveOptions,
  connect: (options: SegmentClientOptions) => SegmentClient,
): AsyncGenerator<LiveRun> {
  return runsOf(new SegmentReader(options, connect));
}

async function* runsOf(reader: SegmentReader): AsyncGenerator<LiveRun> {
  try {
    await reader.open();
    for (;;) {
      const run = await reader.nextRun();
      if (run === null) return;
      yield run;
      if (!(await reader.isThrough(run.body))) return;
    }
  } finally {
    reader.stop();
  }
}

/** The list of segments was whole from the beginning: it is mined as a film. */
export class FilmPlaylistError extends AditError {
  constructor() {
    super('SOURCE_REFUSED', 'The playlist is whole: it is that of a film, not of a live stream.');
  }
}

interface RunBeginning {
  container: LiveRun['container'];
  map: Buffer | null;
  first: Buffer;
}

class SegmentReader {
  private readonly stopping = new AbortController();
  private readonly client: SegmentClient;
  private readonly follower = new Follower();
  private playlist: MediaPlaylist | null = null;
  /** When the playlist was asked for last, and when something new was read. */
  private polledAt = 0;
  private progressAt = Date.now();
  private wasNew = true;
  private lostInARow = 0;
  private isStopped = false;
  /** Why the run broke. */
  private failure: unknown = null;
  /** What is being read. */
  private current: Segment | null = null;

  /** @param pictures - where the pictures are read, for sound beside them */
  constructor(
    private readonly options: LiveOptions,
    connect: (options: SegmentClientOptions) => SegmentClient,
    private readonly pictures: PicturePlace | null = null,
  ) {
    this.client = connect({ ...options, signal: this.stopping.signal, isLive: true });
    options.signal.addEventListener('abort', this.abort);
    if (options.signal.aborted) this.abort();
  }

  async open(): Promise<void> {
    this.polledAt = Date.now();
    const opened = await this.client.open();
    const { pictures } = this;
    if (opened.hasEnded && pictures === null) throw new FilmPlaylistError();
    this.playlist = pictures === null ? opened : { ...opened, startFromEnd: soundStart(opened, pictures) };
    this.follower.update(this.playlist);
  }

  /** Null when the stream has ended. */
  async nextRun(): Promise<LiveRun | null> {
    for (let next = await this.next(); next !== null; next = await this.next()) {
      const { segment, gap } = next;
      let clockOffset = segment.clockOffset ?? 0;
      const bytes = readSegment(this.client, segment, this.stopping.signal, (seconds) => (clockOffset = -seconds));
      try {
        const begun = await this.begin(segment, bytes);
        const body = readableOf(this.body(segment, begun, bytes), () => this.stop());
        const { statedTime } = segment;
        const run = { container: begun.container, body, isSegmented: true, statedTime, gap, clockOffset };
        const sound = this.sound(this.placeOf(segment));
        return sound ? { ...run, sound } : run;
      } catch (error) {
        this.lost(segment, error);
      }
    }
    return null;
  }

  /** Tells whether a run was read to its end; throws what broke it. */
  async isThrough(body: Readable): Promise<boolean> {
    // The end may have been read but not been told yet.
    if (!body.readableEnded && !body.destroyed) await new Promise((resolve) => setImmediate(resolve));
    if (this.failure !== null) throw this.failure;
    this.options.signal.throwIfAborted();
    if (body.readableEnded) return true;
    body.destroy();
    return false;
  }

  stop(): void {
    this.isStopped = true;
    this.options.signal.removeEventListener('abort', this.abort);
    this.stopping.abort(new Error('The stream is no longer read.'));
    this.client.close();
  }

  private readonly abort = (): void => {
    this.stopping.abort(this.options.signal.reason);
    this.client.close();
  };

  /** What opens the sound that comes apart, at that place, and later on where the pictures are by then; null without any. */
  private sound(start: PicturePlace): LiveRun['sound'] | null {
    const { client, options, stopping } = this;
    const { audioTrack } = options;
    if (this.pictures !== null || client.separateSound(audioTrack, stopping.signal) === null) return null;
    const connect = ({ signal }: SegmentClientOptions): SegmentClient => {
      const sound = client.separateSound(audioTrack, signal ?? stopping.signal);
      if (sound === null) throw new AditError('SOURCE_UNAVAILABLE', 'The stream has no sound of its own any more.');
      return sound;
    };
    return (asked) => {
      const signal = AbortSignal.any([stopping.signal, asked]);
      let place: PicturePlace | null = start;
      return lastingSound(() => {
        const at = place ?? this.placeOf(this.current);
        place = null;
        return runsOf(new SegmentReader({ ...options, signal }, connect, at));
      }, signal);
    };
  }

  private placeOf(segment: Segment | null): PicturePlace {
    const left = this.playlist?.segments.filter(({ number }) => segment === null || number >= segment.number) ?? [];
    const secondsFromEnd = left.reduce((sum, { seconds }) => sum + seconds, 0);
    const { statedTime = null, discontinuity } = segment ?? {};
    return { statedTime, secondsFromEnd, at: this.polledAt, discontinuity };
  }

  /** What a run begins with: the initialisation section and the first bytes. Throws LostSegment where they are not there. */
  private async begin(segment: Segment, bytes: AsyncGenerator<Buffer, void, undefined>): Promise<RunBeginning> {
    this.current = segment;
    const { map } = segment;
    const boxes = map === null ? null : await readMap(this.client, map, this.stopping.signal);
    const first = await bytes.next();
    if (first.done) throw new LostSegment('The segment is empty.');
    // MPEG-TS may have an initialisation section too.
    const container = segmentKind(first.value, map !== null) ?? 'mpegts';
    return { container, map: boxes, first: first.value };
  }

  private async *body(
    segment: Segment,
    { map, first }: RunBeginning,
    bytes: AsyncGenerator<Buffer, void, undefined>,
  ): AsyncGenerator<Buffer, void, undefined> {
    try {
      if (map !== null && map.length > 0) yield map;
      yield first;
      if (!(yield* this.rest(segment, bytes))) return;
      for (let next = await this.next(); next !== null && !next.begins; next = await this.next()) {
        const more = readSegment(this.client, next.segment, this.stopping.signal);
        if (!(yield* this.rest(next.segment, more))) return;
      }
    } catch (error) {
      if (!this.isStopped) this.failure = error;
      throw error;
    }
  }

  /** Returns whether the segment was read to its end. */
  private async *rest(
    segment: Segment,
    bytes: AsyncGenerator<Buffer, void, undefined>,
  ): AsyncGenerator<Buffer, boolean, undefined> {
    this.current = segment;
    try {
      yield* bytes;
    } catch (error) {
      this.lost(segment, error);
      return false;
    }
    this.follower.took(segment);
    this.progressAt = Date.now();
    this.lostInARow = 0;
    return true;
  }

  private lost(segment: Segment, error: unknown): void {
    if (!(error instanceof LostSegment)) throw error;
    if (++this.lostInARow === MOST_LOST_IN_A_ROW) {
      throw new AditError(
        'SOURCE_UNAVAILABLE',
        `${MOST_LOST_IN_A_ROW} segments in a row cannot be read: ${error.message}`,
        { cause: error },
      );
    }
    this.follower.missed(segment, 'could not be read');
    this.progressAt = Date.now();
  }

  /** Waits for the next segment; null when the stream has ended. */
  private async next(): Promise<NextSegment | null> {
    for (;;) {
      if (this.client.isSuspect) await this.poll();
      const next = this.follower.next();
      if (next !== null) return next;
      if (this.follower.isOver) return null;
      await this.poll();
    }
  }

  private async poll(): Promise<void> {
    const { playlist, stopping } = this;
    if (playlist === null) throw new AditError('INTERNAL', 'A stream was followed before it was opened.');
    const target = Math.min(playlist.targetSeconds, MOST_TARGET_SECONDS) * 1000;
    const interval = Math.max(this.wasNew ? target : target / 2, LEAST_POLL_MILLISECONDS);
    await pause(Math.max(this.polledAt + interval - Date.now(), 0), stopping.signal);
    this.polledAt = Date.now();
    let trouble: unknown;
    try {
      const answer = await this.client.reload();
      if (answer !== null) this.playlist = answer;
      this.wasNew = answer !== null && this.follower.update(answer);
    } catch (error) {
      stopping.signal.throwIfAborted();
      if (!(error instanceof AditError) || error.code !== 'SOURCE_UNAVAILABLE') throw error;
      this.wasNew = false;
      trouble = error;
    }
    if (this.wasNew) this.progressAt = Date.now();
    const update = Math.min(playlist.updateSeconds ?? 0, MOST_TARGET_SECONDS) * 1000;
    const patience = Math.max(3 * target, 2 * update, this.options.idleTimeoutSeconds * 1000);
    if (this.wasNew || this.follower.isOver || Date.now() - this.progressAt < patience) return;
    if (trouble !== undefined) throw trouble;
    const seconds = Math.round(patience / 1000);
    throw new AditError('SOURCE_UNAVAILABLE', `The playlist has listed no new segment for ${seconds} s.`);
  }
}

/** Not `Readable.from`, which waits for the next piece before it lets go: `stop` is called at once. */
function readableOf(bytes: AsyncGenerator<Buffer, void, undefined>, stop: () => void): Readable {
  return new Readable({
    highWaterMark: BUFFERED_BYTES,
    read() {
      bytes.next().then(
        ({ done, value }) => this.push(done ? null : value),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      if (!this.readableEnded) stop();
      callback(error);
    },
  });
}
