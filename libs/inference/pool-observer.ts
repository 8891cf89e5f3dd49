import type { Provider } from './providers.js';

/** Told what a pool of sessions does, for metrics. */
export interface PoolObserver {
  loaded?(model: string, provider: Provider, seconds: number): void;
  ran?(model: string, rows: number, seconds: number): void;
  evicted?(model: string): void;
  /** The GPU failed and every session on it is gone; they are loaded anew when they are next acquired. */
  lost?(reason: string): void;
}
