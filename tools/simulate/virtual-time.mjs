// Time that passes only while nothing else happens: an hour takes as long as its statements.
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import FakeTimers from '@sinonjs/fake-timers';

const turn = setImmediate;

/**
 * The clock of a simulation. Timers, `Date` and `performance` follow it from `start` on. It moves to the next timer when
 * no input or output is under way; the work between two timers takes no time.
 */
export class VirtualTime {
  /** Requests to the outside that have not been answered. */
  pending = 0;
  #clock = null;
  #idle = null;

  /** Begins on 1 January 2026, so that every run has the same times. */
  start() {
    // Sessions that were opened before have timers of the real clock.
    const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'];
    this.#clock = FakeTimers.install({
      now: Date.UTC(2026, 0, 1),
      toFake,
      loopLimit: Infinity,
      shouldClearNativeTimers: true,
    });
    // Modules that have imported it by name see the change only after this.
    timersPromises.setTimeout = sleep;
    syncBuiltinESMExports();
  }

  /** Milliseconds since 1970. */
  get now() {
    return this.#clock.now;
  }

  /** The clock stands still until the request is answered. */
  async outside(request) {
    this.pending += 1;
    try {
      return await request();
    } finally {
      this.answered();
    }
  }

  answered() {
    this.pending -= 1;
    if (this.pending === 0) this.#idle?.();
  }

  /** Lets time pass until `done` says so. */
  async run(done) {
    while (!done()) {
      // What was answered begins new requests within a turn or two.
      await new Promise((resolve) => turn(() => turn(resolve)));
      if (this.pending > 0) await new Promise((resolve) => (this.#idle = resolve));
      else this.#clock.next();
    }
  }
}

/** As that of `node:timers/promises`. */
function sleep(milliseconds, value, { signal } = {}) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve(value);
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
