import { afterEach, expect, it } from '@jest/globals';
import { NudgedLoop } from './nudged-loop.js';

const NEVER = 3_600_000;
let loop: NudgedLoop;
afterEach(() => loop.stop());

it('loses no nudge, however soon after a round it comes', async () => {
  for (let ticks = 0; ticks < 20; ticks += 1) {
    let rounds = 0;
    let end = () => {};
    const first = new Promise<void>((resolve) => (end = resolve));
    loop = new NudgedLoop('rounds', () => ((rounds += 1) === 1 ? first : Promise.resolve()), NEVER);
    loop.nudge();
    end();
    for (let tick = 0; tick < ticks; tick += 1) await null;
    loop.nudge();
    await loop.idle();
    expect([ticks, rounds]).toEqual([ticks, 2]);
  }
});
