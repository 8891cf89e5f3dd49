import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { NudgedLoop } from './nudged-loop.js';

/**
 * A service that works in rounds, from the start of its process to its end: one round soon after each nudge, never
 * two at a time, and one per period in case a nudge was lost.
 */
export abstract class BackgroundService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: NudgedLoop;

  /** Creates it; `name` is that of its log. */
  constructor(name: string, periodMilliseconds: number) {
    this.loop = new NudgedLoop(name, () => this.round(), periodMilliseconds);
  }

  /** Runs a round. A failure is logged, and left to the next round. It ends early when the process is `stopping`. */
  protected abstract round(): Promise<void>;

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  /** Waits for the round in progress; none follows. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Triggers a round soon; many nudges become one. */
  nudge(): void {
    this.loop.nudge();
  }

  /** Triggers a round after a while, once: a later call puts it off. */
  protected nudgeIn(milliseconds: number): void {
    this.loop.nudgeIn(milliseconds);
  }

  /** Resolves when everything nudged so far is done. */
  idle(): Promise<void> {
    return this.loop.idle();
  }

  /** True while the process is shutting down. */
  protected get stopping(): boolean {
    return this.loop.stopping;
  }
}
