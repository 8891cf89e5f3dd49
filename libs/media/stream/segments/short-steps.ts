import { setImmediate } from 'node:timers/promises';

const STEP_MILLISECONDS = 8;

/** Cuts long work into short steps, between which the process does what else there is. */
export class ShortSteps {
  private since = performance.now();

  /** Asked every few microseconds of the work: whether to rest before it goes on. */
  get isLong(): boolean {
    return performance.now() - this.since > STEP_MILLISECONDS;
  }

  async rest(): Promise<void> {
    await setImmediate();
    this.since = performance.now();
  }
}
