import { AditError } from '@adit/contracts';
import { createLogger, type Logger } from '@adit/runtime';

const SAID_EVERY_MS = 60_000;

/**
 * Work that is done soon after each nudge, never twice at a time, and once a period in case a nudge was lost. Nudges
 * that come while it runs become one more run. A failure is logged and left to the next run; an outage once a minute.
 */
export class NudgedLoop {
  private readonly log: Logger;
  private running: Promise<void> | null = null;
  private again = false;
  private closed = false;
  /** When an outage was last said. */
  private said = -Infinity;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly name: string,
    private readonly work: (stopping: () => boolean) => Promise<void>,
    private readonly periodMilliseconds: number,
  ) {
    this.log = createLogger(name);
  }

  start(): void {
    // A process may be told to end while it starts.
    if (this.closed) return;
    this.timer = setInterval(() => this.nudge(), this.periodMilliseconds);
    this.nudge();
  }

  async stop(): Promise<void> {
    this.closed = true;
    clearInterval(this.timer);
    await this.idle();
  }

  nudge(): void {
    if (this.closed) return;
    this.again = true;
    this.running ??= this.loop().finally(() => {
      this.running = null;
      // It came after the last look, and found this one still there.
      if (this.again) this.nudge();
    });
  }

  /** Nothing more is begun. */
  get stopping(): boolean {
    return this.closed;
  }

  /** Working, or about to. */
  get busy(): boolean {
    return this.running !== null;
  }

  /** Resolves when all that was nudged so far is done. */
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
      }
    }
  }
}
