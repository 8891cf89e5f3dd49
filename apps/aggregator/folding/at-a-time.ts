/** Runs what it is given, at most so many at a time, in the order given. */
type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function atATime(most: number): Turns {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The turn goes on to who waits longest.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
