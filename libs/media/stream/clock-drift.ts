import { LIVE_TICKS } from './live-head.js';

/** Time over which the least delay of a frame is looked for: a network delays some frames, and hardly all of them. */
const WINDOW_US = 10 * LIVE_TICKS;
/** Difference that only a step of one of the clocks explains, when it lasts for `STEP_WINDOWS`. */
const STEP_US = LIVE_TICKS;
const STEP_WINDOWS = 6;
/** Microseconds a second by which times are corrected: crystals differ by less. */
const DRIFT_PACE = 200;
/** The same after a step: fast, but times still grow. */
const STEP_PACE = 10_000;

/**
 * Keeps the clock of a run at the pace of the wall clock, as far as the arrival of its frames tells: the least delay of
 * each 10 s is compared with that of the first 10 s.
 */
export class ClockDrift {
  /** Microseconds to add to times of the run. */
  private correction = 0;
  private target = 0;
  private first: number | null = null;
  private least = Infinity;
  private windowEnd: number | null = null;
  private steps = 0;
  private last: number | null = null;

  /**
   * Takes a frame of the run.
   * @param runUs - its time on the run's clock, later than the one before
   * @param arrived - milliseconds since 1970
   * @returns microseconds to add to its time; times stay in order
   */
  correctionAt(runUs: number, arrived: number): number {
    this.windowEnd ??= runUs + WINDOW_US;
    if (runUs >= this.windowEnd) this.endWindow(runUs);
    this.least = Math.min(this.least, arrived * 1000 - runUs);
    const seconds = (runUs - (this.last ?? runUs)) / LIVE_TICKS;
    this.last = runUs;
    const most = seconds * (this.steps >= STEP_WINDOWS ? STEP_PACE : DRIFT_PACE);
    const wanted = this.target - this.correction;
    this.correction += Math.sign(wanted) * Math.min(Math.abs(wanted), most);
    return Math.round(this.correction);
  }

  private endWindow(runUs: number): void {
    if (this.first === null) this.first = this.least;
    else this.target = this.least - this.first;
    this.steps = Math.abs(this.target - this.correction) > STEP_US ? this.steps + 1 : this.stepsLeft();
    this.least = Infinity;
    this.windowEnd = runUs + WINDOW_US;
  }

  /** A step is corrected to its end, though the rest of it is small. */
  private stepsLeft(): number {
    const isCorrected = Math.abs(this.target - this.correction) < STEP_US / 20;
    return this.steps >= STEP_WINDOWS && !isCorrected ? this.steps : 0;
  }
}
