// Requests to a service, one after the other from several clients, and what became of them.
import { setTimeout as sleep } from 'node:timers/promises';

const CLIENTS = 4;
/** So that a machine that also mines has time for it. */
const PAUSE_MS = 15;

/** Asks until it is stopped. A 503 that says when to come again is an answer; all else but success is a failure. */
export function keepAsking(url, headers) {
  let count = 0;
  let slowest = 0;
  let asking = true;
  const failures = [];
  const clients = Array.from({ length: CLIENTS }, async () => {
    while (asking) {
      const began = performance.now();
      try {
        const reply = await fetch(url, { headers, signal: AbortSignal.timeout(60_000) });
        await reply.arrayBuffer();
        const busy = reply.status === 503 && reply.headers.has('retry-after');
        if (!reply.ok && !busy) failures.push(`${new Date().toISOString()} ${reply.status}`);
      } catch (error) {
        failures.push(`${new Date().toISOString()} ${error.message} ${error.cause?.message ?? ''}`);
      }
      count += 1;
      slowest = Math.max(slowest, Math.round(performance.now() - began));
      await sleep(PAUSE_MS);
    }
  });
  return {
    counted: () => ({ count, failures, slowest }),
    async reach(wanted) {
      while (count < wanted) await sleep(100);
    },
    async stop() {
      asking = false;
      await Promise.all(clients);
    },
  };
}
