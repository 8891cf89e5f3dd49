import { AditError } from '@adit/contracts';
import { createLogger, type Logger } from '@adit/runtime';

const SAID_EVERY_MS = 60_000;
/** Pause after a failure, where the period is longer. */
const RETRY_MS = 1_000;

/**
 * Work that runs soon after each nudge, never twice at a time, and once per period in case a nudge was lost. Nudges
 * that come while it runs become one more run. A failure is logged, an outage once a minute, and left to the next run, which
 * follows within a second.
 */
export class NudgedLoop {
  private readonly log: Logger;
  private running: Promise<void> | null = null;
  private again = false;
  private closed = false;
  /** Time when an outage was last logged. */
  private said = -Infinity;
  private timer: NodeJS.Timeout | undefined;
  private later: NodeJS.Timeout | undefined;

  constructor(
    private readonly name: string,
    private readonly work: (stopping: () => boolean) => Promise<void>,
    private readonly periodMilliseconds: number,
  ) {
    this.log = createLogger(name);
  }

  start(): void {
    // A process may be asked to stop while it starts.
    if (this.closed) return;
    this.timer = setInterval(() => this.nudge(), this.periodMilliseconds);
    this.nudge();
  }

  async stop(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    clearTimeout(this.later);
    await this.idle();
  }

  nudge(): void {
    if (this.closed) return;
    this.again = true;
    this.running ??= this.loop().finally(() => {
      this.running = null;
      // A nudge came after the last check, and found this run still in progress.
      if (this.again) this.nudge();
    });
  }

  /** Nudges after a while, once: a later call puts it off. */
  nudgeIn(milliseconds: number): void {
    if (this.closed) return;
    clearTimeout(this.later);
    this.later = setTimeout(() => this.nudge(), milliseconds);
  }

  /** Stops: nothing more is begun. */
  get stopping(): boolean {
    return this.closed;
  }

  /** True while it works or is about to. */
  get busy(): boolean {
    return this.running !== null;
  }

  /** Resolves when everything nudged so far is done. */
  async idle(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  private async loop(): Promise<void> {
    while (this.again && !this.closed) {
      this.again = false;
      try {
        await this.work(() => this.closed);
      } catch (error) {
        const now = performance.now();
        const known = AditError.from(error).code === 'UNAVAILABLE' && now - this.said < SAID_EVERY_MS;
        this.log[known ? 'debug' : 'warn']({ err: error }, `${this.name} failed; the next run tries again`);
        if (!known) this.said = now;
        this.retrySoon();
      }
    }
  }

  private retrySoon(): void {
    if (this.periodMilliseconds > RETRY_MS) this.nudgeIn(RETRY_MS);
  }
}
