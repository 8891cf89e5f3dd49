import { setTimeout as sleep } from 'node:timers/promises';
import type { AditClient } from '@adit/client';
import type { EngineOptions } from './engine-options.js';
import { untilInterrupted } from './interrupt.js';
import { placeOf } from './mining-place.js';
import { Progress } from '../output/progress.js';

const POLL_MS = 200;
const ENDED = ['completed', 'failed'];

/** Tools of a command that uses an engine. */
export interface EngineWork {
  client: AditClient;
  /** Aborts when the command is interrupted. */
  signal: AbortSignal;
  progress: Progress;
  /** Somebody looks at standard error. */
  live: boolean;
}

/** Has a command work on the engine that its options name; one that was interrupted ends with exit code 130. */
export async function onEngine(
  options: EngineOptions & { json?: boolean },
  work: (at: EngineWork) => Promise<void>,
): Promise<void> {
  const quiet = options.json === true;
  const live = process.stderr.isTTY && !quiet;
  const { signal, release } = untilInterrupted();
  const progress = new Progress(process.stderr, quiet);
  try {
    const place = await placeOf({ ...options, localRoots: [], live });
    try {
      await work({ client: place.client, signal, progress, live });
    } finally {
      progress.stop();
      await place.close();
    }
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    process.exitCode = 130;
  } finally {
    release();
  }
}

/** Asks until what is asked for has ended, and shows how far it is; throws what the signal says when it aborts. */
export async function untilEnded<T extends { state: string; progress: number }>(
  name: string,
  ask: () => Promise<T>,
  at: EngineWork,
): Promise<T> {
  return until(
    async () => {
      const task = await ask();
      at.progress.show(name, task.progress, task.state);
      return task;
    },
    ({ state }) => ENDED.includes(state),
    at,
  );
}

/** Asks until the answer is as wanted. */
export async function until<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  { signal }: Pick<EngineWork, 'signal'>,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await sleep(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** A value as JSON on standard output, for programs. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}
