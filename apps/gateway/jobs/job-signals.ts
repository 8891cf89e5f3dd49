import { EventEmitter } from 'node:events';
import { BUS, type Bus, type Subscription } from '@adit/bus';
import type { Payload } from '@adit/contracts';
import { createLogger } from '@adit/runtime';
import { Inject, Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown } from '@nestjs/common';

const log = createLogger('gateway');
/** No event tells of it: the job's events go with it. */
const DELETED = 'deleted';
/** Watched in place of one job's id: signals of all. */
export const ANY_JOB = 'any job';

/**
 * Wakes requests that wait for a job. A signal only says "look again": what happened is read from the database, so a lost
 * one costs time and nothing else.
 */
@Injectable()
export class JobSignals implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly emitter = new EventEmitter().setMaxListeners(0);
  private readonly closing = new AbortController();
  private subscription: Subscription | null = null;

  constructor(@Inject(BUS) private readonly bus: Bus) {}

  async onApplicationBootstrap(): Promise<void> {
    try {
      this.subscription = await this.bus.subscribe({
        topic: 'events.raised',
        // Every gateway has to receive every event, so each is a group of its own, `ephemeral`.
        group: 'gateway',
        ephemeral: true,
        concurrency: 12,
        commitWithinMs: 1000,
        handle: async ({ envelope: { jobId, payload } }) =>
          // The topic that was subscribed to has this payload; the bus has checked it.
          this.raised(jobId, (payload as Payload<'events.raised'>).event),
      });
    } catch (error) {
      log.warn({ err: error }, 'no events from the bus; waiting requests poll');
    }
  }

  /** Ends every wait, so that open streams do not hold up the shutdown. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing.abort();
    await this.subscription?.close();
  }

  get closed(): AbortSignal {
    return this.closing.signal;
  }

  private raised(jobId: string, event: string): void {
    this.emitter.emit(jobId, event);
    this.emitter.emit(ANY_JOB, event);
  }

  /** Wakes all who wait for a job that this process has deleted. Those of other processes look again after a while. */
  deleted(jobId: string): void {
    this.emitter.emit(jobId, DELETED);
  }

  /** Listens from now on, so that nothing is missed between looking and waiting; to all events unless `only` says which. */
  watch(jobId: string, only: (event: string) => boolean = () => true): JobWatch {
    return new JobWatch(this.emitter, jobId, only, this.closing.signal);
  }
}

/** One request's ear for one job. */
export class JobWatch {
  private pending = false;
  private wake: (() => void) | null = null;
  private readonly receive = (event: string): void => {
    if (event !== DELETED && !this.only(event)) return;
    this.pending = true;
    this.wake?.();
  };

  constructor(
    private readonly emitter: EventEmitter,
    private readonly jobId: string,
    private readonly only: (event: string) => boolean,
    private readonly closing: AbortSignal,
  ) {
    emitter.on(jobId, this.receive);
  }

  /** Resolves at the next signal, one heard since the last call, the end of the time, or the abort; never rejects. */
  async next(milliseconds: number, gone: AbortSignal): Promise<void> {
    if (!this.pending && !gone.aborted && !this.closing.aborted) {
      // By hand: AbortSignal.any keeps a long-lived signal's followers alive on Node 20.
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          gone.removeEventListener('abort', done);
          this.closing.removeEventListener('abort', done);
          this.wake = null;
          resolve();
        };
        const timer = setTimeout(done, Math.max(1, milliseconds));
        gone.addEventListener('abort', done);
        this.closing.addEventListener('abort', done);
        this.wake = done;
      });
    }
    this.pending = false;
  }

  close(): void {
    this.emitter.off(this.jobId, this.receive);
  }
}
