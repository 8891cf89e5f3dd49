import { AditError } from '@adit/contracts';
import { configureLogging } from '@adit/runtime';
import { afterEach, expect, it, jest } from '@jest/globals';
import { NudgedLoop } from './nudged-loop.js';

const NEVER = 3_600_000;
let loop: NudgedLoop;
afterEach(() => loop.stop());

it('a loop loses no nudge, however soon after a round it comes', async () => {
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

it('a loop signals shutdown to its work, and returns whether it works', async () => {
  const stopSignals: boolean[] = [];
  let begun = () => {};
  const running = new Promise<void>((resolve) => (begun = resolve));
  let go = () => {};
  const stopped = new Promise<void>((resolve) => (go = resolve));
  loop = new NudgedLoop(
    'rounds',
    async (stopping) => {
      stopSignals.push(stopping());
      begun();
      await stopped;
      stopSignals.push(stopping());
    },
    NEVER,
  );
  expect([loop.busy, loop.stopping]).toEqual([false, false]);
  loop.nudge();
  await running;
  expect([loop.busy, loop.stopping]).toEqual([true, false]);
  const end = loop.stop();
  expect([loop.busy, loop.stopping]).toEqual([true, true]);
  go();
  await end;
  expect([loop.busy, stopSignals]).toEqual([false, [false, true]]);
});

it('a loop logs an outage once a minute, and any other failure each time', async () => {
  const lines: string[] = [];
  configureLogging({ level: 'info', format: 'json', to: { write: (line) => void lines.push(line) } });
  const clock = jest.spyOn(performance, 'now');
  let problem: Error = new AditError('UNAVAILABLE', 'It is away.');
  loop = new NudgedLoop('rounds', () => Promise.reject(problem), NEVER);
  const failsAt = async (seconds: number) => {
    clock.mockReturnValue(seconds * 1_000);
    lines.splice(0);
    loop.nudge();
    await loop.idle();
    return lines.length;
  };
  expect([await failsAt(0), await failsAt(59), await failsAt(60), await failsAt(61)]).toEqual([1, 0, 1, 0]);
  problem = new Error('It did not work.');
  expect([await failsAt(62), await failsAt(63)]).toEqual([1, 1]);
});

it('a loop with a long period runs again soon after a failure', async () => {
  let rounds = 0;
  loop = new NudgedLoop(
    'rounds',
    () => ((rounds += 1) === 1 ? Promise.reject(new Error('away')) : Promise.resolve()),
    NEVER,
  );
  jest.useFakeTimers();
  try {
    loop.nudge();
    await loop.idle();
    jest.advanceTimersByTime(1_000);
    await loop.idle();
    jest.advanceTimersByTime(10_000);
    await loop.idle();
  } finally {
    jest.useRealTimers();
  }
  expect(rounds).toBe(2);
});
