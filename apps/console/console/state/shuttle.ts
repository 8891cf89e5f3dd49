import { Observable } from '../../shared/observable.js';
import { frameAt } from '../model/time.js';

const SPEEDS = [1, 2, 4, 8];
/** Players cannot play backwards: the position is set so often. */
const REVERSE_MS = 120;

/**
 * The position in the media, with or without something that plays. Observers are told of states; what moves with the
 * picture is told of every frame (`eachTime`).
 */
export class Shuttle extends Observable {
  /** Seconds. */
  time = 0;
  duration = 0;
  /** Null of sound alone. */
  fps: number | null = null;
  /** Negative: backwards; 0: stands. */
  speed = 0;
  isReady = false;
  markIn: number | null = null;
  markOut: number | null = null;
  /** Asks for a new address when the media cannot be read: an old one has expired. */
  onFault: () => void = () => undefined;
  private readonly followers = new Set<(time: number) => void>();
  private element: HTMLMediaElement | null = null;
  private reverse: ReturnType<typeof setInterval> | undefined;

  /** Calls it now and at every change of the position, in seconds. Returns a function that ends it. */
  eachTime(follower: (time: number) => void): () => void {
    this.followers.add(follower);
    follower(this.time);
    return () => this.followers.delete(follower);
  }

  attach(element: HTMLMediaElement): () => void {
    const ends = new AbortController();
    this.element = element;
    const on = (name: string, act: () => void): void => element.addEventListener(name, act, { signal: ends.signal });
    on('loadedmetadata', () => {
      this.isReady = true;
      if (this.duration === 0 && Number.isFinite(element.duration)) this.duration = element.duration;
      if (this.time > 0) element.currentTime = this.time;
      if (this.speed > 0) void this.play(this.speed);
      this.changed();
    });
    on('error', () => {
      this.isReady = false;
      this.onFault();
      this.changed();
    });
    on('play', () => this.followFrames());
    on('seeked', () => this.report(element.currentTime));
    on('ended', () => this.pause());
    return () => {
      ends.abort();
      this.pause();
      if (this.element === element) Object.assign(this, { element: null, isReady: false });
    };
  }

  setMedia(duration: number, fps: number | null): void {
    if (duration === this.duration && fps === this.fps) return;
    Object.assign(this, { duration, fps });
    this.changed();
  }

  toggle(): void {
    if (this.speed === 0) void this.play(1);
    else this.pause();
  }

  /** L: plays; once more: faster. */
  forward(): void {
    void this.play(faster(this.speed, 1));
  }

  /** J: plays backwards; once more: faster. */
  backward(): void {
    if (!this.isReady) return;
    const speed = -faster(-this.speed, 1);
    this.element?.pause();
    this.speed = speed;
    clearInterval(this.reverse);
    this.reverse = setInterval(() => {
      if (this.element?.seeking === true) return;
      this.move(this.time + (speed * REVERSE_MS) / 1000);
      if (this.time <= 0) this.pause();
    }, REVERSE_MS);
    this.changed();
  }

  pause(): void {
    clearInterval(this.reverse);
    this.element?.pause();
    if (this.speed === 0) return;
    this.speed = 0;
    this.changed();
  }

  /** Goes to a time in seconds. */
  seek(time: number): void {
    this.move(time);
    this.changed();
  }

  /** Steps by whole frames; by tenths of a second where there are none. */
  step(frames: number): void {
    this.pause();
    const { fps } = this;
    // The middle of a frame: its edges belong to the one before in some players.
    if (fps === null) this.seek(this.time + frames / 10);
    else this.seek(Math.max(0, frameAt(this.time, fps) + frames + 0.5) / fps);
  }

  setIn(): void {
    this.markIn = this.time;
    if (this.markOut !== null && this.markOut <= this.time) this.markOut = null;
    this.changed();
  }

  setOut(): void {
    this.markOut = this.time;
    if (this.markIn !== null && this.markIn >= this.time) this.markIn = null;
    this.changed();
  }

  clearMarks(): void {
    Object.assign(this, { markIn: null, markOut: null });
    this.changed();
  }

  private move(time: number): void {
    const end = this.duration > 0 ? this.duration : Infinity;
    const wanted = Math.min(Math.max(0, time), end);
    if (this.element !== null && this.isReady) this.element.currentTime = wanted;
    this.report(wanted);
  }

  private async play(speed: number): Promise<void> {
    clearInterval(this.reverse);
    const { element } = this;
    if (element === null || !this.isReady) return;
    this.speed = speed;
    element.playbackRate = speed;
    this.changed();
    // A browser may refuse to play by itself; it has paused then.
    await element.play().catch(() => this.pause());
  }

  private followFrames(): void {
    const step = (): void => {
      const { element } = this;
      if (element === null || element.paused) return;
      this.report(element.currentTime);
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  private report(time: number): void {
    this.time = time;
    for (const follower of this.followers) follower(time);
  }
}

/** The next speed in a direction; from rest, or the other direction, the first. */
function faster(speed: number, first: number): number {
  if (speed <= 0) return first;
  return SPEEDS[Math.min(SPEEDS.indexOf(speed) + 1, SPEEDS.length - 1)] ?? first;
}
