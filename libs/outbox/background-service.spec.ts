import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BackgroundService } from './background-service.js';

const NEVER = 3_600_000;

class Rounds extends BackgroundService {
  begun = 0;
  /** Maximum number of rounds at the same time. */
  together = 0;
  sawTheEnd = false;
  private underway = 0;

  constructor(
    private readonly work: (number: number) => Promise<unknown> = () => sleep(5),
    period = NEVER,
  ) {
    super('rounds', period);
  }

  protected async round(): Promise<void> {
    this.begun += 1;
    this.together = Math.max(this.together, (this.underway += 1));
    try {
      await this.work(this.begun);
    } finally {
      this.underway -= 1;
      this.sawTheEnd = this.stopping;
    }
  }
}

describe('a background service', () => {
  let service: Rounds;
  afterEach(() => service.onApplicationShutdown());

  it('runs a round when its process starts, and one per period', async () => {
    service = new Rounds(() => Promise.resolve(), 5);
    expect(service.begun).toBe(0);
    service.onApplicationBootstrap();
    await service.idle();
    expect(service.begun).toBe(1);
    while (service.begun < 3) await sleep(5);
  });

  it('handles nudges that came meanwhile in one more round, after the one in progress', async () => {
    service = new Rounds();
    service.onApplicationBootstrap();
    for (let nudges = 0; nudges < 5; nudges += 1) service.nudge();
    await service.idle();
    expect([service.begun, service.together]).toEqual([2, 1]);
  });

  it('continues after a failed round', async () => {
    service = new Rounds((number) =>
      number === 1 ? Promise.reject(new Error('It did not work.')) : Promise.resolve(),
    );
    service.onApplicationBootstrap();
    await service.idle();
    service.nudge();
    await service.idle();
    expect(service.begun).toBe(2);
  });

  it('signals shutdown to the round in progress, waits for it, and begins no other', async () => {
    service = new Rounds(() => sleep(20));
    service.onApplicationBootstrap();
    await sleep(0);
    service.nudge();
    await service.onApplicationShutdown();
    expect([service.begun, service.sawTheEnd]).toEqual([1, true]);
    service.nudge();
    await service.idle();
    expect(service.begun).toBe(1);
  });

  it('that is stopped before it has started leaves nothing', async () => {
    service = new Rounds(undefined, 5);
    await service.onApplicationShutdown();
    const timers = () => process.getActiveResourcesInfo().filter((what) => what === 'Timeout').length;
    const before = timers();
    service.onApplicationBootstrap();
    expect([timers(), service.begun]).toEqual([before, 0]);
  });
});
