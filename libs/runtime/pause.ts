import { setTimeout as wait } from 'node:timers/promises';

/** Waits. Throws the signal's reason when it aborts. */
export async function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
