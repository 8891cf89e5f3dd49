import { LIVE_SOUND_RATE } from '@adit/media';
import type { SpooledPiece } from './live-chunks.js';
import type { SpooledSound } from './sound-chunks.js';
import { begunAt } from './stream-clock.js';
import { shifted } from './succession.js';

type Spooled = SpooledPiece | SpooledSound;

/** Sound that is missing right before a border: so little is left out where it is cut. */
const UNHEARD_US = 100_000;
/** Time for which pictures behind a border wait for the sound before it. */
const SOUND_MILLISECONDS = 3_000;

/**
 * Splits a stream into parts, each with times and frames of its own. Borders are the multiples of a part's length on the
 * clock by which the stream is read, which goes on over them.
 */
export class Parts {
  /** Number of the part that is stored. */
  private current = 0;
  /** Frames that were read before it; null until its first picture, unless it is the first part. */
  private frames: number | null = 0;
  /** Number of the part up to which items are let through. */
  private reached = 0;
  /** Items of later parts, until sound and pictures have both come to the border. */
  private held: Spooled[] = [];
  private heldSince = 0;
  /** Why sound may be missing before the first that waited behind the last border; null where none is known. */
  soundReason: string | null = null;
  /** Time up to which sound was read; null where none is heard. */
  private soundUs: number | null = null;
  private readonly lengthUs: number;

  /** @param seconds - length of a part; null: there is one */
  constructor(seconds: number | null) {
    this.lengthUs = seconds === null ? Infinity : seconds * 1e6;
  }

  /** Time at which the part that is stored begins, in microseconds of the clock. */
  get startUs(): number {
    return this.current === 0 ? 0 : this.current * this.lengthUs;
  }

  /** True once sound was read. */
  get isHeard(): boolean {
    return this.soundUs !== null;
  }

  /**
   * Returns what is to be stored now, in the order of parts. Sound is cut at borders, and may come a little before the
   * pictures or after them: what is behind a border waits until there are pictures behind it, and these wait for the
   * sound before it, if any is heard.
   */
  inOrder(item: Spooled): Spooled[] {
    if ('sound' in item) this.soundUs = item.sound.interval.endMs * 1000;
    if (this.numberOf(item) > this.reached) {
      if (!this.held.some(isPiece)) this.heldSince = performance.now();
      this.held.push(item);
      return this.isReady() ? this.rest() : [];
    }
    return this.isReady() ? [item, ...this.rest()] : [item];
  }

  /** Returns what still waits, pictures first: sound is stored where there are some. */
  rest(): Spooled[] {
    const held = this.held.splice(0);
    const [pieces, sounds] = [held.filter(isPiece), held.filter((item) => !isPiece(item))];
    this.soundReason = sounds[0]?.reason ?? null;
    this.reached = Math.max(this.reached, ...pieces.map((piece) => this.numberOf(piece)));
    return [...pieces, ...sounds];
  }

  /** Where the next part has to begin for an item, in microseconds of the part that is stored; null where it need not. */
  borderBefore(item: Spooled): number | null {
    const number = this.numberOf(item);
    // Only pictures begin a part.
    return isPiece(item) && number > this.current ? (number - this.current) * this.lengthUs : null;
  }

  /** The next part begins with an item. */
  begin(item: Spooled): void {
    this.current = this.numberOf(item);
    this.frames = null;
  }

  /** Returns an item with the times and frames of the part that is stored; null for late sound of the one before. */
  fit(item: Spooled): Spooled | null {
    if (this.current === 0) return item;
    const { startUs } = this;
    const zeroAt = new Date(item.zeroAt.getTime() + startUs / 1000);
    if ('sound' in item) return fittedSound({ ...item, zeroAt }, startUs / 1000);
    this.frames ??= item.piece.interval.frameStart;
    const piece = shifted(item.piece, { frames: -this.frames, us: -startUs });
    return { ...item, piece, zeroAt, facts: begunAt(item.facts, zeroAt) };
  }

  /** True when pictures wait, and no more sound is expected before them. */
  private isReady(): boolean {
    const piece = this.held.find(isPiece);
    if (piece === undefined) return false;
    if (this.soundUs === null || performance.now() - this.heldSince > SOUND_MILLISECONDS) return true;
    return this.soundUs >= this.numberOf(piece) * this.lengthUs - UNHEARD_US;
  }

  private numberOf(item: Spooled): number {
    return Math.floor(startOf(item) / this.lengthUs);
  }
}

/** Stream time of an item's start in microseconds. */
export function startOf(item: Spooled): number {
  return isPiece(item) ? item.piece.interval.ptsStart : item.sound.interval.startMs * 1000;
}

function isPiece(item: Spooled): item is SpooledPiece {
  return 'piece' in item;
}

function fittedSound({ sound, ...rest }: SpooledSound, byMs: number): SpooledSound | null {
  const startMs = Math.max(sound.interval.startMs - byMs, 0);
  const endMs = sound.interval.endMs - byMs;
  if (endMs <= startMs) return null;
  const start = sound.start - (byMs * LIVE_SOUND_RATE) / 1000;
  return { ...rest, sound: { ...sound, start, interval: { startMs, endMs } } };
}
