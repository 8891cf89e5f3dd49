import { setImmediate as turn } from 'node:timers/promises';

/** For how long such work keeps the event loop from probes, leases and everybody else, milliseconds. */
const LONGEST_MS = 10;

/** Does work that stops after each short step; what else the process has to do comes in between. */
export async function inTurns<T>(work: Generator<void, T>): Promise<T> {
  for (let began = performance.now(); ;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() - began < LONGEST_MS) continue;
    await turn();
    began = performance.now();
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
  let began = performance.now();
  for await (const piece of work) {
    yield piece;
    if (performance.now() - began < LONGEST_MS) continue;
    await turn();
    began = performance.now();
  }
}
