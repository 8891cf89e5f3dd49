import { AsyncLocalStorage } from 'node:async_hooks';
import type { Provider } from './providers.js';

/** Seconds that models ran, as measured where they run. */
export interface ModelSeconds {
  cpu: number;
  gpu: number;
}

const running = new AsyncLocalStorage<ModelSeconds>();

/** Receives the seconds of a run. */
export type OnRan = (seconds: number) => void;

/** Runs `work` and adds to `spent` what the models took that it runs: of a batch its share of the rows. */
export function withModelTime<T>(spent: ModelSeconds, work: () => Promise<T>): Promise<T> {
  return running.run(spent, work);
}

/** The sums that the caller's runs are added to; undefined where nobody counts. */
export function modelTime(): ModelSeconds | undefined {
  return running.getStore();
}

export function addModelTime(spent: ModelSeconds | undefined, provider: Provider, seconds: number): void {
  if (spent !== undefined) spent[provider === 'cpu' ? 'cpu' : 'gpu'] += seconds;
}

/** Runs `work` and reports its seconds, also when it fails. */
export async function timed<T>(onRan: OnRan | undefined, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  try {
    return await work();
  } finally {
    onRan?.((performance.now() - start) / 1000);
  }
}
