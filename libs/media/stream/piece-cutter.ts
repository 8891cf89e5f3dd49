import type { PackedFrame } from '@adit/contracts';
import { ClockDrift } from './clock-drift.js';
import { isSampled } from './live-graph.js';
import { LIVE_TICKS } from './live-head.js';

/** Position of a frame on the stream's clock, which goes on over all runs. */
export interface StreamPlace {
  /** Number of the frame, counted by arrival. */
  frame: number;
  /** Microseconds from the stream's first picture. */
  us: number;
}

/** A frame of a run. */
export interface LiveFrame {
  /** Microseconds from the run's first picture, which name its JPEG. */
  runUs: number;
  /** Run time of the frame before it; null for the first. */
  previousUs: number | null;
  /** Number and time in the stream. */
  at: StreamPlace;
  /** Milliseconds since 1970 when it was decoded. */
  arrived: number;
}

/** Frames that make up a chunk. */
export interface CutPiece {
  frames: LiveFrame[];
  /** Stream time at its end: that of the next frame, or of the last frame's own end before a hole. */
  endUs: number;
}

interface CutterOptions {
  /** Length of a piece: pieces end at its multiples on the stream's clock. */
  pieceUs: number;
  /** Usual distance of frames. */
  frameUs: number;
  /**
   * Returns the place of a frame that begins a run, or comes behind a jump of its clock. Times before `place.us` of
   * what was already read are repeats and are dropped.
   */
  place(arrived: number): StreamPlace & { endUs: number };
  /** Frames arrive one by one as they are filmed, so that their arrival tells the time. Default: false. */
  isPaced?: boolean;
}

/** A step of a run's clock that is not believed: the wall clock tells the time that went by. */
export const JUMP_US = 10 * LIVE_TICKS;
/** Difference of a step to the time that went by, beyond which the step is not believed where arrival tells the time. */
const UNBELIEVED_US = LIVE_TICKS;
/** Frames further apart than this, and than `HOLE_FRAMES`, have a hole between them. */
const HOLE_US = LIVE_TICKS;
const HOLE_FRAMES = 3;

/** Puts the frames of a run on the stream's clock and cuts them into pieces. */
export class PieceCutter {
  private frames: LiveFrame[] = [];
  private last: { runUs: number; us: number; arrived: number } | null = null;
  /** Run time of the frame that was placed last, its stream time, and the end of what was read before. */
  private anchor = { runUs: 0, us: 0, endUs: 0 };
  private nextFrame = 0;
  private drift = new ClockDrift();
  /** Microseconds by which the clock of the run is corrected now. */
  private correction = 0;

  constructor(private readonly options: CutterOptions) {}

  /** Run time and stream time of the frame that was placed last: between both, what follows has this distance. */
  get placed(): { runUs: number; us: number } {
    const { runUs, us } = this.anchor;
    return { runUs, us: us + this.correction };
  }

  /** Adds a frame; returns the piece that it ends, if any. */
  add(runUs: number, arrived: number): CutPiece | null {
    const { last } = this;
    // Times never go back: the graph drops such frames.
    if (last === null || this.isJump(runUs - last.runUs, arrived - last.arrived)) {
      const { frame, us, endUs } = this.options.place(arrived);
      if (last === null) this.nextFrame = frame;
      this.anchor = { runUs, us: last === null ? us : Math.max(us, last.us + this.options.frameUs), endUs };
      this.drift = new ClockDrift();
    }
    if (this.options.isPaced === true) this.correction = this.drift.correctionAt(runUs, arrived);
    const us = this.anchor.us + runUs - this.anchor.runUs + this.correction;
    const piece = this.endedBy(us);
    this.last = { runUs, us, arrived };
    if (us >= this.anchor.endUs) {
      const at = { frame: this.nextFrame++, us };
      this.frames.push({ runUs, previousUs: last?.runUs ?? null, at, arrived });
    }
    return piece;
  }

  /** Returns what is left at the end of a run. */
  end(): CutPiece | null {
    const last = this.frames.at(-1);
    return last === undefined ? null : this.take(last.at.us + this.options.frameUs);
  }

  /** True for a step of the run's clock in microseconds that the milliseconds until its arrival do not explain. */
  private isJump(stepUs: number, milliseconds: number): boolean {
    if (stepUs > JUMP_US) return true;
    return this.options.isPaced === true && stepUs - milliseconds * 1000 > UNBELIEVED_US;
  }

  private endedBy(us: number): CutPiece | null {
    const [first] = this.frames;
    const before = this.frames.at(-1);
    if (first === undefined || before === undefined) return null;
    const { pieceUs, frameUs } = this.options;
    if (us - before.at.us > Math.max(HOLE_US, HOLE_FRAMES * frameUs)) return this.take(before.at.us + frameUs);
    const isOver = Math.floor(us / pieceUs) > Math.floor(first.at.us / pieceUs);
    return isOver ? this.take(us) : null;
  }

  private take(endUs: number): CutPiece {
    const { frames } = this;
    this.frames = [];
    return { frames, endUs };
  }
}

/** ffmpeg multiplies, too: a quotient may differ in its last bit. */
const SECONDS = 1 / LIVE_TICKS;

/** Returns the frames of a piece that a rate samples. */
export function sampledFrames(frames: readonly LiveFrame[], rate: number): LiveFrame[] {
  const seconds = (us: number | null): number | null => (us === null ? null : us * SECONDS);
  return frames.filter(({ runUs, previousUs }) => isSampled(runUs * SECONDS, seconds(previousUs), rate));
}

/** Returns the entry of a frame in a pack. */
export function packedFrame({ at }: LiveFrame, size: { width: number; height: number }): PackedFrame {
  return { frame: at.frame, pts: at.us, time: at.us / LIVE_TICKS, ...size };
}
