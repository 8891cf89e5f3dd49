import type { BusContext } from '@adit/bus';
import type { AnalysisRequested } from '@adit/contracts';
import { BackgroundService } from '@adit/outbox';
import { createLogger } from '@adit/runtime';
import pLimit from 'p-limit';
import type { AnalysisWorker } from './analysis-worker.js';

const log = createLogger('inference');

const PERIOD_MILLISECONDS = 1_000;
/** Pauses of a process that finds nothing: each is twice the one before. */
const PAUSE = { firstMs: 1_000, lastMs: 16_000 };

/**
 * Analyses of one name in one process. Messages are shared out by partitions, however long the chunks before them take: half
 * of many processes would wait while chunks queue at the others. So a process with a free slot takes what waits behind
 * another one, as soon as it has ended something, and less and less often while there is nothing.
 */
export class AnalysisQueue extends BackgroundService {
  private readonly limit;
  private readonly ending = new AbortController();
  private readonly taken = new Set<Promise<void>>();
  private pause = PAUSE.firstMs;
  /** Time before which nothing is looked for. */
  private quietUntil = 0;

  /** `takesWaiting` is false for a process that is alone: all messages are its own. */
  constructor(
    private readonly analysis: string,
    private readonly worker: Pick<AnalysisWorker, 'handle' | 'takeWaiting'>,
    private readonly slots: { concurrency: number; takesWaiting: boolean },
  ) {
    super('inference', PERIOD_MILLISECONDS);
    this.limit = pLimit(slots.concurrency);
  }

  override onApplicationBootstrap(): void {
    if (this.slots.takesWaiting) super.onApplicationBootstrap();
  }

  /** Waits for the work that it has taken, which ends at its next safe point. */
  override async onApplicationShutdown(): Promise<void> {
    this.ending.abort(new Error('The process ends.'));
    await super.onApplicationShutdown();
    await Promise.all(this.taken);
  }

  handle(request: AnalysisRequested, context: BusContext): Promise<void> {
    return this.run(() => this.worker.handle(request, context));
  }

  protected async round(): Promise<void> {
    if (performance.now() < this.quietUntil) return;
    while (!this.stopping && this.limit.activeCount + this.limit.pendingCount < this.slots.concurrency) {
      if (!(await this.take())) return this.rest();
      this.pause = PAUSE.firstMs;
    }
  }

  /** Begins something that waits; false where nothing does. */
  private take(): Promise<boolean> {
    return new Promise((resolve) => {
      let isClaimed = false;
      const claimed = (is: boolean): void => resolve((isClaimed = is));
      const work = this.limit(() => this.worker.takeWaiting(this.analysis, this.ending.signal, claimed))
        // Its row says what became of it; whoever finds its lease run out requests it again.
        .catch((error: unknown) => log.warn({ err: error }, 'a chunk that waited could not be analysed'))
        .finally(() => {
          this.taken.delete(work);
          resolve(false);
          if (isClaimed) this.lookAtOnce();
        });
      this.taken.add(work);
    });
  }

  private async run(work: () => Promise<void>): Promise<void> {
    try {
      await this.limit(work);
    } finally {
      if (this.slots.takesWaiting) this.lookAtOnce();
    }
  }

  private lookAtOnce(): void {
    this.quietUntil = 0;
    this.nudge();
  }

  /** Processes that rest do not come back together. */
  private rest(): void {
    this.quietUntil = performance.now() + this.pause * (0.5 + Math.random());
    this.pause = Math.min(PAUSE.lastMs, this.pause * 2);
  }
}
