import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the assertion holds; after `patienceMs` milliseconds throws what it threw last. */
export async function within(patienceMs: number, assertion: () => void | Promise<void>): Promise<void> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(10);
    }
  }
}
