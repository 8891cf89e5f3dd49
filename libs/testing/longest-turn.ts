import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

const MAX_RUNS = 8;

/**
 * Runs `work`, and answers the longest that the event loop of this thread was busy with one turn meanwhile, in milliseconds of
 * its CPU time, so that a machine with much else to do gives the same. Where a thread's time cannot be had it is the clock's.
 */
export async function longestTurn<T>(work: () => Promise<T>): Promise<{ value: T; milliseconds: number }> {
  let milliseconds = 0;
  let last = busyMilliseconds();
  const noted = (): void => {
    const now = busyMilliseconds();
    milliseconds = Math.max(milliseconds, now - last);
    last = now;
  };
  let isOver = false;
  const turns = (async () => {
    while (!isOver) {
      await nextTurn();
      noted();
    }
  })();
  try {
    const value = await work();
    return { value, milliseconds: (noted(), milliseconds) };
  } finally {
    isOver = true;
    await turns;
  }
}

/**
 * The least of `longestTurn` over some runs, in milliseconds; the first below `enough` is the last. An offender is slow each time; a
 * collection of what came before it, code that is cold and a core that others share are not. `prepare` is made before each run and
 * not measured.
 */
export async function leastLongestTurn<T = void>(
  enough: number,
  work: (prepared: T) => Promise<unknown>,
  prepare?: () => T,
): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < MAX_RUNS && least >= enough; run += 1) {
    // Without `prepare` T is void.
    const prepared = prepare?.() as T;
    least = Math.min(least, (await longestTurn(() => work(prepared))).milliseconds);
  }
  return least;
}

function busyMilliseconds(): number {
  if (process.platform !== 'linux') return performance.now();
  // Nanoseconds on a CPU stand first (Documentation/scheduler/sched-stats.rst).
  const [busy = ''] = readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ');
  return Number(busy) / 1e6;
}
