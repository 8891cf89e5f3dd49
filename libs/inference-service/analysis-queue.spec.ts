import type { BusContext } from '@adit/bus';
import { describe, expect, it } from '@jest/globals';
import { AnalysisQueue } from './analysis-queue.js';

/** A queue, of one slot unless said otherwise, over a worker that does what it is told to. */
class QueueUnderTest {
  readonly begun: string[] = [];
  /** Number of times that it looked for what waits. */
  looked = 0;
  readonly queue: AnalysisQueue;
  private readonly ends: (() => void)[] = [];

  constructor(
    private readonly waiting: string[],
    { concurrency = 1, takesWaiting = true, message = () => this.work('message') }: Options = {},
  ) {
    const takeWaiting = async (_name: string, _signal: AbortSignal, claimed: (isClaimed: boolean) => void) => {
      this.looked += 1;
      const next = this.waiting.shift();
      claimed(next !== undefined);
      if (next !== undefined) await this.work(next);
    };
    this.queue = new AnalysisQueue('faces', { handle: message, takeWaiting }, { concurrency, takesWaiting });
  }

  /** Delivers a message. */
  deliver(): Promise<void> {
    return this.queue.handle({ chunkId: 'chunk', analysisDigest: 'digest' }, {} as BusContext);
  }

  /** Ends the work that began first, and lets what follows begin. */
  async end(): Promise<void> {
    this.ends.shift()?.();
    await this.settled();
  }

  /** Resolves when it has looked for work. */
  async settled(): Promise<void> {
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise(setImmediate);
      await this.queue.idle();
    }
  }

  private work(name: string): Promise<void> {
    this.begun.push(name);
    return new Promise((resolve) => this.ends.push(resolve));
  }
}

interface Options {
  concurrency?: number;
  takesWaiting?: boolean;
  message?: () => Promise<void>;
}

describe('analyses of one process', () => {
  it('of messages are done, and what waits behind others after that, as many at once as there are slots', async () => {
    const own = new QueueUnderTest(['first', 'second']);
    const handled = own.deliver();
    await own.settled();
    expect(own.begun).toEqual(['message']);
    await own.end();
    await handled;
    expect(own.begun).toEqual(['message', 'first']);
    await own.end();
    expect(own.begun).toEqual(['message', 'first', 'second']);
    await own.end();
    await own.queue.onApplicationShutdown();
  });

  it('that a message brings wait for what was taken', async () => {
    const own = new QueueUnderTest(['taken']);
    own.queue.onApplicationBootstrap();
    await own.settled();
    const handled = own.deliver();
    await own.settled();
    expect(own.begun).toEqual(['taken']);
    await own.end();
    expect(own.begun).toEqual(['taken', 'message']);
    await own.end();
    await handled;
    await own.queue.onApplicationShutdown();
  });

  it('that wait are not looked for all the time while there are none, and at once after some work', async () => {
    const own = new QueueUnderTest([], { message: () => Promise.resolve() });
    for (let nudge = 0; nudge < 20; nudge += 1) {
      own.queue.nudge();
      await own.settled();
    }
    expect(own.looked).toBe(1);
    await own.deliver();
    await own.settled();
    expect(own.looked).toBe(2);
    await own.queue.onApplicationShutdown();
  });

  it('that wait are not looked for where the process is alone', async () => {
    const own = new QueueUnderTest(['waiting'], { takesWaiting: false });
    own.queue.onApplicationBootstrap();
    const handled = own.deliver();
    await own.settled();
    await own.end();
    await handled;
    await own.settled();
    expect(own).toMatchObject({ begun: ['message'], looked: 0 });
    await own.queue.onApplicationShutdown();
  });

  it('that fail leave their slot to the next one', async () => {
    const own = new QueueUnderTest(['after it'], { message: () => Promise.reject(new Error('broken')) });
    await expect(own.deliver()).rejects.toThrow('broken');
    await own.settled();
    expect(own.begun).toEqual(['after it']);
    await own.end();
    await own.queue.onApplicationShutdown();
  });

  it('that were taken are waited for at the end, however many slots are free', async () => {
    const own = new QueueUnderTest(['taken'], { concurrency: 2 });
    own.queue.onApplicationBootstrap();
    await own.settled();
    let isOver = false;
    const ending = own.queue.onApplicationShutdown().then(() => (isOver = true));
    await own.settled();
    expect(isOver).toBe(false);
    await own.end();
    await ending;
  });
});
