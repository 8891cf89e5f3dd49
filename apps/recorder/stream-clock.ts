import type { AudioFacts, VideoFacts } from '@adit/contracts';
import type { StreamPlace } from '@adit/media';
import type { StreamPosition } from '@adit/streams';

/** Difference between a stated wall clock and ours beyond which it is not believed: a day. */
const MAX_STATED_DIFFERENCE_MS = 86_400_000;
/** Microseconds that a new run may repeat of what was read: a playlist lists about a minute. */
const MAX_REPEATED_US = 120_000_000;

/**
 * The one clock of a stream over all its connections, in microseconds from its first picture. A run goes on by its own
 * clock; between runs the wall clock tells the time that went by, that of the stream where it states one.
 */
export class StreamClock {
  /** Milliseconds since 1970 of stream time 0; null before the first picture. */
  private zero: number | null;
  /** Number of the next frame. */
  private frames: number;
  /** Stream time up to which pictures were read. */
  private end: number;
  /** Milliseconds by which pictures arrive later than the stream states. */
  private delay = 0;

  constructor({ zeroAt, frames, lastUs }: Pick<StreamPosition, 'zeroAt' | 'frames' | 'lastUs'>) {
    this.zero = zeroAt?.getTime() ?? null;
    this.frames = frames;
    this.end = lastUs;
  }

  /** Wall clock of stream time 0; null before the first picture. */
  get zeroAt(): Date | null {
    return this.zero === null ? null : new Date(this.zero);
  }

  get endUs(): number {
    return this.end;
  }

  /** Returns the wall clock of a stream time in milliseconds since 1970; before the first picture that is never. */
  timeAt(us: number): number {
    return (this.zero ?? Infinity) + us / 1000;
  }

  /**
   * Places a picture that arrived then and begins a run, or follows a jump of the run's clock.
   * @param stated - milliseconds since 1970 that the stream states for it
   */
  place(arrived: number, stated: number | null = null): StreamPlace & { endUs: number } {
    const isBelieved = stated !== null && Math.abs(arrived - stated) < MAX_STATED_DIFFERENCE_MS;
    if (isBelieved) this.delay = arrived - stated;
    const wall = isBelieved ? stated : arrived - this.delay;
    this.zero ??= wall;
    const us = Math.round((wall - this.zero) * 1000);
    const { frames: frame, end: endUs } = this;
    // Only a clock of its own can show that a picture was read before.
    const isRepeat = isBelieved && us > endUs - MAX_REPEATED_US;
    return { frame, us: isRepeat ? us : Math.max(us, endUs), endUs };
  }

  /** Notes what was read. */
  advance({ frameEnd, ptsEnd }: { frameEnd: number; ptsEnd: number }): void {
    this.frames = frameEnd;
    this.end = ptsEnd;
  }
}

/** Timecode of the wall clock in UTC, counted at the stream's own rate. */
function timecodeOf(time: Date | null, fps: VideoFacts['fps']): string | null {
  if (time === null) return null;
  const frame = Math.floor((time.getUTCMilliseconds() / 1000) * (fps.num / fps.den));
  return `${time.toISOString().slice(11, 19)}:${String(frame).padStart(2, '0')}`;
}

/** Facts of a stream whose first picture has that time. */
export function begunAt(facts: VideoFacts | AudioFacts, zeroAt: Date | null): VideoFacts | AudioFacts {
  return facts.kind === 'audio' ? facts : { ...facts, startTimecode: timecodeOf(zeroAt, facts.fps) };
}
