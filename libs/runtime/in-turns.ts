import { setImmediate as turn } from 'node:timers/promises';

/** For how long such work keeps the event loop from probes, leases and everybody else, milliseconds. */
const LONGEST_MS = 10;

/** Tells work when it has kept the event loop for long enough: promises that are kept already give nobody else a turn. */
export class Pace {
  private began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.began >= LONGEST_MS;
  }

  /** Resolves when what else the process has to do had its turn. */
  async rest(): Promise<void> {
    await turn();
    this.began = performance.now();
  }
}

/** Does work that stops after each short step; what else the process has to do comes in between. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (const pace = new Pace(); ;) {
    const { done, value } = work.next();
    if (done) return value;
    if (pace.isOver) await pace.rest();
  }
}

/** The same at once, for little of it and for who cannot wait. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Passes on what such work puts out, step by step. */
export async function* passedInTurns<T>(work: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  const pace = new Pace();
  for await (const piece of work) {
    yield piece;
    if (pace.isOver) await pace.rest();
  }
}
