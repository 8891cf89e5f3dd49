import { setImmediate as yieldLoop } from 'node:timers/promises';

/** Milliseconds that such work keeps the event loop from probes, leases and everybody else. */
const SLICE_MS = 10;

/** Tells work when its time slice on the event loop is over. Awaiting a resolved promise does not yield to other work. */
export class TimeSlice {
  private began = performance.now();

  get isOver(): boolean {
    return performance.now() - this.began >= SLICE_MS;
  }

  /** Yields to the other work of the process. */
  async rest(): Promise<void> {
    await yieldLoop();
    this.began = performance.now();
  }
}

/** Runs work that stops after each short step, a time slice at a time. Other work of the process runs in between. */
export async function inTimeSlices<T>(work: Generator<void, T>): Promise<T> {
  for (const slice = new TimeSlice(); ;) {
    const { done, value } = work.next();
    if (done) return value;
    if (slice.isOver) await slice.rest();
  }
}

/** Runs the same work without yielding, when there is little of it or the caller is synchronous. */
export function atOnce<T>(work: Generator<void, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** Passes on the values of such work, a time slice at a time. */
export async function* passedInTimeSlices<T>(work: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  const slice = new TimeSlice();
  for await (const piece of work) {
    yield piece;
    if (slice.isOver) await slice.rest();
  }
}
