/** Change of the distance of both clocks, in microseconds, below which it is not noted. */
const UNNOTICED_US = 1000;

/**
 * Tells where times of a run are on the clock of its stream, by the pictures that its decoder has placed: the distance of
 * both changes with the drift of the camera's clock, and where that jumps.
 */
export class RunTimes {
  /** Distances of both clocks from a time of the run on; the latest stands for what is still to come. */
  private steps: { runUs: number; distance: number }[] = [];
  private seenUs = -Infinity;
  private hasEnded = false;
  private wake: (() => void) | null = null;

  /** Takes a picture: its time on the run's clock, and on that of the stream. Times of the run grow. */
  see(runUs: number, us: number): void {
    this.seenUs = runUs;
    const last = this.steps.at(-1);
    const distance = us - runUs;
    if (last === undefined || Math.abs(distance - last.distance) >= UNNOTICED_US) this.steps.push({ runUs, distance });
    this.wake?.();
  }

  /** No picture follows. */
  end(): void {
    this.hasEnded = true;
    this.wake?.();
  }

  /** Run time of the picture that was placed last; negative infinity before the first. */
  get latestUs(): number {
    return this.seenUs;
  }

  /** Waits until a picture of that time was placed, or none follows. One waits at a time. */
  async reached(runUs: number): Promise<void> {
    while (this.seenUs < runUs && !this.hasEnded) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  /** Returns the stream time of a time of the run; null when no picture was placed. */
  at(runUs: number): number | null {
    const step = this.steps.findLast((each) => each.runUs <= runUs) ?? this.steps[0];
    return step === undefined ? null : runUs + step.distance;
  }

  /** Nobody asks for an earlier time any more. */
  forget(beforeUs: number): void {
    const first = this.steps.findLastIndex(({ runUs }) => runUs <= beforeUs);
    if (first > 0) this.steps = this.steps.slice(first);
  }
}
